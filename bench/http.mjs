// `oriel serve`: small reads over 1, 32 and 256 connections, alone and while ten calls hang, and over new connections beside
// busy ones, compared with a bare server.
import { mkdirSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { folder } from './lib/data.mjs';
import { load } from './lib/load.mjs';
import { AUTHORIZATION, cli, listening, withCommands } from './lib/process.mjs';
import { sized } from './lib/quick.mjs';
import { ms, ratio } from './lib/table.mjs';

const SECONDS = sized(5, 0.2);
const CONNECTIONS = sized([1, 32, 256], [1, 32]);
const HANGING = 10;
/** Clients that keep their connection, and clients that open one for each request. */
const BUSY = 100;
const FRESH = 50;

export async function rows() {
  mkdirSync(folder, { recursive: true });
  const path = resolve(folder, 'small.txt');
  writeFileSync(path, 'a small file\n'.repeat(100));
  // All connections come from one address, including the hanging ones.
  const open = ['--max-connections', '1024'];
  const serve = ['serve', '--listen', '127.0.0.1:0', ...withCommands(), '--cwd', folder, ...open];
  const ours = await listening([cli, ...serve]);
  const bare = await listening([fileURLToPath(new URL('./lib/bare-http.mjs', import.meta.url))]);
  const ask = (url) => `${url}/api/v0/read-file-lines?path=${path}`;
  const table = [];
  const row = async (what, connections, measure = (url) => load(url, connections, SECONDS)) => {
    const mine = await measure(ask(ours.url));
    const theirs = await measure(ask(bare.url));
    table.push({
      what,
      connections,
      'oriel per second': mine.perSecond,
      median: ms(mine.median),
      p99: ms(mine.p99),
      'p99 to median': ratio(mine.p99, mine.median),
      'bare server per second': theirs.perSecond,
      'calls per second to it': ratio(mine.perSecond, theirs.perSecond),
      'its p99': ms(theirs.p99),
    });
  };
  try {
    for (const connections of CONNECTIONS) await row('small read', connections);
    const what = `small read on a new connection, ${BUSY} other clients are busy`;
    await row(what, FRESH, async (url) => {
      const busy = load(url, BUSY, SECONDS);
      const fresh = await load(url, FRESH, SECONDS, { keepAlive: false });
      await busy;
      return fresh;
    });
    const stop = new AbortController();
    for (let i = 0; i < HANGING; i += 1) {
      fetch(`${ours.url}/api/v0/tools/bash`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...AUTHORIZATION },
        body: '{"command":"sleep 100"}',
        signal: stop.signal,
      }).catch(() => undefined);
    }
    await new Promise((done) => setTimeout(done, 500));
    for (const connections of CONNECTIONS) await row(`small read, ${HANGING} calls hang`, connections);
    stop.abort();
  } finally {
    await Promise.all([ours.stop(), bare.stop()]);
  }
  return table;
}
