// The cost of the line index of an object: counted by one replica, and loaded from the store by the next one, which has an
// empty cache. Each is a process; the object is on loopback, so times do not include a network.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { objectServer } from './lib/object-server.mjs';
import { sized } from './lib/quick.mjs';
import { KEY, NO_STORE, startStore } from './lib/store.mjs';

const SIZES = sized([64, 512], [16]).map((mib) => mib * 2 ** 20);

/** Bytes that the first page of an object takes. */
const FIRST = 128 << 10;

export async function rows() {
  const store = await startStore();
  if (!store) return NO_STORE;
  const table = [];
  try {
    for (const size of SIZES) {
      const server = await objectServer(size);
      const line = size / 64 - 10_000;
      for (const who of ['counts them', 'takes them from the store']) {
        const cache = join(store.home, `${size} ${who}`);
        const before = await store.used();
        const told = await replica({ endpoint: server.url, store: store.url, cache, line });
        const after = await store.used();
        const { requests, bytes } = server.take();
        table.push({
          'a page behind the lines of': `${size >> 20} MiB`,
          'a replica that': who,
          // Without the request of the other object.
          requests: requests - 1,
          read: `${Math.round((bytes - FIRST) / 1024)} KiB`,
          time: `${told.ms.toFixed(0)} ms`,
          CPU: `${told.cpuMs.toFixed(0)} ms`,
          'store operations': after.uses - before.uses,
          'store bytes': `${((after.bytes - before.bytes) / 1024).toFixed(1)} KiB`,
        });
      }
      server.close();
    }
  } finally {
    store.stop();
  }
  return table;
}

/** Reads a page in a process of its own. */
async function replica({ endpoint, store, cache, line }) {
  const program = `
    import { createOriel } from ${JSON.stringify(new URL('../dist/index.js', import.meta.url).href)};
    const oriel = createOriel({
      cache: { directory: ${JSON.stringify(cache)} },
      state: { url: ${JSON.stringify(store)}, key: ${JSON.stringify(KEY)}, timeoutMs: 30000 },
      s3: { endpoint: ${JSON.stringify(endpoint)} },
      timeoutMs: 120000,
    });
    const read = (path) => oriel.tool('read').run({ path });
    // Warm-up: code is loaded, and the store is connected.
    await read('s3://bench/other.log');
    const [began, before] = [performance.now(), process.cpuUsage()];
    const { isError, content } = await read('s3://bench/big.log:${line}..');
    if (isError) throw new Error(content[0].text);
    const ms = performance.now() - began;
    const { user, system } = process.cpuUsage(before);
    await oriel.close();
    console.log(JSON.stringify({ ms, cpuMs: (user + system) / 1000 }));`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.on('data', (chunk) => (said += chunk));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`a replica ended with ${code}`);
  return JSON.parse(said);
}
