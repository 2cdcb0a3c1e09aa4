import { createOriel } from '../../src/index.ts';

const oriel = createOriel({ cwd: process.cwd(), roots: [process.cwd()] });
const read = oriel.tool('read');

const answer = await read.run({ path: 'package.json:1-5' });
console.log(answer.content); // text (or image) blocks for the model
console.log(answer.details); // the same facts as plain JSON, for the host
