// Requests, bytes and time for pages of an object, counted by its server on loopback: the first page of a session, then
// the next one of the same kind. Times do not include a network; each request adds a round trip.
import { objectServer } from './lib/object-server.mjs';
import { sized } from './lib/quick.mjs';

const GIB = 2 ** 30;
const SIZE = 100 * GIB;
/** The size of the object whose lines are counted, which reads all of it. */
const COUNTED = sized(512, 16) * 2 ** 20;

const PAGES = [
  ['the beginning', SIZE, '', ':801..'],
  ['64 KiB in the middle', SIZE, `:@${SIZE / 2}+64K`, `:@${SIZE / 2 + 65_536}+64K`],
  ['256 KiB in the middle', SIZE, `:@${SIZE / 2}+256K`, `:@${SIZE / 4}+256K`],
  ['the last 500 lines', SIZE, ':-500', `:-500@${SIZE - 500 * 64}`],
  ['a line near the end', COUNTED, `:${COUNTED / 64 - 10_000}..`, `:${COUNTED / 128}..`],
];

export async function rows() {
  const { createOriel } = await import('../dist/index.js');
  const table = [];
  for (const [page, size, first, next] of PAGES) {
    const server = await objectServer(size);
    const oriel = createOriel({ s3: { endpoint: server.url }, timeoutMs: 120_000 });
    const step = async (selector) => {
      const began = performance.now();
      const { isError, content } = await oriel.tool('read').run({ path: `s3://bench/big.log${selector}` });
      if (isError) throw new Error(content[0].text);
      const { requests, bytes } = server.take();
      const ms = performance.now() - began;
      return { requests, read: `${(bytes / 1024).toFixed(0)} KiB`, time: `${ms.toFixed(1)} ms` };
    };
    const [one, two] = [await step(first), await step(next)];
    table.push({
      page: `${page} of ${size / GIB >= 1 ? `${size / GIB} GiB` : `${size >> 20} MiB`}`,
      'requests, first': one.requests,
      'read, first': one.read,
      'time, first': one.time,
      'requests, then': two.requests,
      'read, then': two.read,
      'time, then': two.time,
    });
    await oriel.close();
    server.close();
  }
  return table;
}
