import { createOriel } from '../../src/index.ts';

const oriel = createOriel({
  cwd: process.cwd(),
  onError: (error, { code, tool }) => console.error(code, tool, error),
});
