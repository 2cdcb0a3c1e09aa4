// The first map of a tree and later ones, compared with Universal Ctags and servers that index code.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, utimesSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { codeTrees } from './lib/code-trees.mjs';
import { hasCtags } from './lib/ctags.mjs';
import { filesBelow, folder } from './lib/data.mjs';
import { start } from './lib/mcp.mjs';
import { peer } from './lib/peers.mjs';
import { cli } from './lib/process.mjs';
import { quick } from './lib/quick.mjs';
import { mb, ms, ratio } from './lib/table.mjs';

export async function rows() {
  const table = [];
  for (const { name, directory } of codeTrees()) {
    const cache = mkdtempSync(join(resolve(folder), 'cache-'));
    try {
      const files = filesBelow(directory);
      const cold = await mapped(directory, cache, files[0]);
      const known = await mapped(directory, cache, files[0]);
      const tags = ctagsTime(directory, join(cache, 'tags'));
      table.push({
        tree: name,
        files: files.length,
        'first map': ms(cold.first),
        'ctags -R': ms(tags),
        ratio: ratio(cold.first, tags),
        codegraph: ms(codegraphTime(directory)),
        again: ms(cold.again),
        'one file changed': ms(cold.changed),
        'new process': ms(known.first),
        memory: mb(cold.mb),
        'memory, new process': mb(known.mb),
      });
    } finally {
      rmSync(cache, { recursive: true, force: true });
    }
  }
  return table;
}

/** Milliseconds of a first map, of a second one, and of one after the file `changing` has changed; the peak memory in MB. */
async function mapped(directory, cache, changing) {
  const env = { ...process.env, XDG_CACHE_HOME: cache };
  const server = await start([process.execPath, [cli, 'mcp', directory]], directory, env);
  const call = { name: 'read', arguments: { path: '.:outline' } };
  const map = async () => {
    const began = performance.now();
    let text;
    // After a timeout the next call continues.
    do {
      const { result, timedOut } = await server.ask('tools/call', call, 600_000);
      if (timedOut || result === undefined || result.isError) throw new Error(result?.content[0].text);
      text = result.content[0].text;
    } while (text.includes('before the time limit'));
    return performance.now() - began;
  };
  const [first, again] = [await map(), await map()];
  utimesSync(changing, new Date(), new Date());
  const changed = await map();
  const peak = server.peak();
  await server.stop();
  return { first, again, changed, mb: peak };
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
