import { createOriel } from 'oriel';

const oriel = createOriel({
  run: { timeout: 1800, environment: ['PATH', 'HOME', 'LANG', 'LC_*'] },
  spills: { cap: 64 << 20, total: 512 << 20 },
});
console.log(oriel.tools.length); // 5
