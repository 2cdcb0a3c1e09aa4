import { createOriel, createSession } from '../../src/index.ts';

const session = createSession();
const reader = createOriel({ session, limits: { bytes: 200 << 10 } });
const runner = createOriel({ session, limits: { bytes: 8 << 10, lines: 200 } });
const tools = [reader.tool('read'), runner.tool('bash')];
console.log(tools.map(({ name }) => name)); // ['read', 'bash']
await session.close();
