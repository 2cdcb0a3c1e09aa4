import { createOriel } from '../../src/index.ts';

const oriel = createOriel({
  run: { timeout: 20, environment: ['PATH', 'HOME', 'LC_*'] },
  spills: { cap: 64 << 20 },
});
const { content, isError } = await oriel.tool('bash').run({ command: 'seq 3', timeout: 2.5 });
console.log({ content, isError }); // { content: [ { type: 'text', text: '1\n2\n3\n' } ], isError: false }
await oriel.close();
