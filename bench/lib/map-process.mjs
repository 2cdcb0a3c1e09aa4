// node map-process.mjs DIRECTORY CACHE: maps a directory with `oriel mcp`, and prints as JSON the times of the first call,
// of a second one, and of one after a file has changed, the CPU time of all three, and the peak memory in MB.
import { readdirSync, utimesSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { start } from './mcp.mjs';
import { cli } from './process.mjs';

const [directory, cache] = process.argv.slice(2).map((path) => resolve(path));
process.env.XDG_CACHE_HOME = cache;
const server = await start([process.execPath, [cli, 'mcp', directory]], directory);
const map = async () => {
  const began = performance.now();
  let text;
  // After a timeout the next call continues.
  do {
    const { result, timedOut } = await server.ask(
      'tools/call',
      { name: 'read', arguments: { path: '.:outline' } },
      600_000,
    );
    if (timedOut || result === undefined || result.isError) throw new Error(result?.content[0].text);
    text = result.content[0].text;
  } while (text.includes('before the time limit'));
  return performance.now() - began;
};
const first = await map();
const again = await map();
const [file] = filesBelow(directory);
utimesSync(file, new Date(), new Date());
const changed = await map();
const [cpu, mb] = [server.cpu(), server.peak()];
await server.stop();
console.log(JSON.stringify({ first, again, changed, cpu, mb }));
process.exit(0);

function* filesBelow(below) {
  for (const entry of readdirSync(below, { withFileTypes: true })) {
    const path = join(below, entry.name);
    if (entry.isDirectory()) yield* filesBelow(path);
    else yield path;
  }
}
