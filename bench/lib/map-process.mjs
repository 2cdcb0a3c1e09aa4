// node map-process.mjs DIRECTORY CACHE: maps a directory in a new process, and prints as JSON the times of the first call,
// of a second one, and of one after a file has changed; and the peak memory in MB.
import { readdirSync, readFileSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { createOriel } from '../../dist/index.js';

const [, , directory, cache] = process.argv;
const oriel = createOriel({
  cwd: directory,
  roots: [directory],
  cache: { directory: cache },
  timeoutMs: 600_000,
});
const map = async () => {
  const began = performance.now();
  let text;
  // After a timeout the next call continues.
  do {
    const answer = await oriel.tool('read').run({ path: '.:outline' });
    text = answer.content[0].text;
    if (answer.isError) throw new Error(text);
  } while (text.includes('before the time limit'));
  return performance.now() - began;
};
const first = await map();
const again = await map();
const [file] = filesBelow(directory);
utimesSync(file, new Date(), new Date());
const changed = await map();
const status = readFileSync('/proc/self/status', 'utf8');
await oriel.close();
console.log(JSON.stringify({ first, again, changed, mb: Number(/VmHWM:\s+(\d+)/.exec(status)[1]) / 1024 }));
process.exit(0);

function* filesBelow(below) {
  for (const entry of readdirSync(below, { withFileTypes: true })) {
    const path = join(below, entry.name);
    if (entry.isDirectory()) yield* filesBelow(path);
    else yield path;
  }
}
