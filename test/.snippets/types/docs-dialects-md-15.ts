import { createOriel } from 'oriel';

const oriel = createOriel({ dialect: 'zdx' });
console.log(oriel.tools.map(({ name }) => name)); // the tools of zdx
const { details } = await oriel.tool('read').run({ path: 'package.json', limit: 1 });
console.log({ shown: details.lines_shown, more: details.truncated }); // { shown: 1, more: true }
