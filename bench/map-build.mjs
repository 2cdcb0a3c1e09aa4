// The first map of a tree and later ones, compared with Universal Ctags and servers that index code.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { codeTrees } from './lib/code-trees.mjs';
import { hasCtags } from './lib/ctags.mjs';
import { folder } from './lib/data.mjs';
import { peer } from './lib/peers.mjs';
import { quick } from './lib/quick.mjs';
import { mb, ms, ratio } from './lib/table.mjs';

const inside = fileURLToPath(new URL('./lib/map-process.mjs', import.meta.url));

export async function rows() {
  return codeTrees().map(({ name, directory }) => {
    const cache = mkdtempSync(join(resolve(folder), 'cache-'));
    try {
      const cold = mapped(directory, cache);
      const known = mapped(directory, cache);
      const tags = ctagsTime(directory, join(cache, 'tags'));
      return {
        tree: name,
        files: readdirSync(directory, { recursive: true, withFileTypes: true }).filter((one) => one.isFile())
          .length,
        'first map': ms(cold.first),
        'ctags -R': ms(tags),
        ratio: ratio(cold.first, tags),
        codegraph: ms(codegraphTime(directory)),
        again: ms(cold.again),
        'one file changed': ms(cold.changed),
        'new process': ms(known.first),
        memory: mb(cold.mb),
        'memory, new process': mb(known.mb),
      };
    } finally {
      rmSync(cache, { recursive: true, force: true });
    }
  });
}

function mapped(directory, cache) {
  const { stdout, stderr, status } = spawnSync(process.execPath, [inside, directory, cache], {
    encoding: 'utf8',
    timeout: 600_000,
  });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

/** In ms; NaN if it failed. Into a file: with `/dev/null` Ctags fails on large trees. */
function ctagsTime(directory, into) {
  if (!hasCtags()) return undefined;
  const began = performance.now();
  const { status } = spawnSync('ctags', ['-R', '--fields=+ne', '-f', into, '.'], {
    cwd: directory,
    stdio: 'ignore',
  });
  return status === 0 ? performance.now() - began : NaN;
}

/** `codegraph init` in a process of its own; its index is removed afterwards. */
function codegraphTime(directory) {
  const home = peer('@colbymchenry/codegraph', '1.6.1');
  if (home === undefined || quick) return undefined;
  const began = performance.now();
  const { status } = spawnSync(resolve(home, '../../.bin/codegraph'), ['init', directory], {
    stdio: 'ignore',
    timeout: 600_000,
  });
  const took = performance.now() - began;
  const index = join(directory, '.codegraph');
  if (existsSync(index)) rmSync(index, { recursive: true });
  return status === 0 ? took : NaN;
}
