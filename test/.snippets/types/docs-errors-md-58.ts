import { createOriel } from 'oriel';

const oriel = createOriel({
  cwd: process.cwd(),
  onError: (error, { code, tool }) => console.error(code, tool, error),
});
