// Reads of remote workspaces: requests, bytes and CPU of a read of `ws://NAME/path`, here and in the servers, on loopback.
// Times do not include a network; each request adds a round trip.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { folder } from './lib/data.mjs';
import { cli } from './lib/process.mjs';
import { sized } from './lib/quick.mjs';
import { Replicas } from './lib/replicas.mjs';

const WORKSPACES = 2;
const READS = sized(400, 40);
const AT_ONCE = 16;
const LINES = 20_000;

const PATHS = {
  'a file of 4 KB': () => 'small.txt',
  'a page in the middle of 900 KB': (i) => `lines.txt:${1 + ((i * 37) % (LINES - 100))}+50`,
  'the end of 900 KB': () => 'lines.txt:-50',
  'a directory': () => 'entries/',
};

export async function rows() {
  const { createOriel } = await import('../dist/index.js');
  const { createFleet } = await import('../dist/faces/client/fleet.js');
  mkdirSync(join(folder, 'entries'), { recursive: true });
  for (let i = 0; i < 50; i += 1) writeFileSync(join(folder, `entries/${i}.txt`), '');
  writeFileSync(join(folder, 'small.txt'), 'a line of a small file, which is short\n'.repeat(100));
  const lines = Array.from({ length: LINES }, (_, i) => `line ${i + 1} of a file that is read by pages\n`);
  writeFileSync(join(folder, 'lines.txt'), lines.join(''));
  const home = mkdtempSync(join(tmpdir(), 'oriel-fleet-'));
  const serve = [cli, 'serve', folder, '--listen', '127.0.0.1:0', '--max-connections', '1024'];
  const servers = await Replicas.start(WORKSPACES, serve, home);
  const table = [];
  try {
    for (const [what, path] of Object.entries(PATHS)) {
      const workspaces = Object.fromEntries(servers.urls.map((url, i) => [`w${i}`, { url }]));
      const fleet = createFleet({ workspaces, waiting: READS });
      const oriel = createOriel({ workspaces: fleet.workspaces, cache: false });
      const read = async (i) => {
        const { isError, content } = await oriel
          .tool('read')
          .run({ path: `ws://w${i % WORKSPACES}/${path(i)}` });
        if (isError) throw new Error(content[0].text);
      };
      // Warm-up: lines are counted once, and connections are made.
      for (let i = 0; i < 2 * WORKSPACES; i += 1) await read(i);
      const sum = (field) => fleet.report().reduce((all, one) => all + one[field], 0);
      const [requests, bytes, cpu, own] = [sum('requests'), sum('bytes'), servers.cpu(), process.cpuUsage()];
      const began = performance.now();
      let sent = 0;
      const worker = async () => {
        while (sent < READS) await read(sent++);
      };
      await Promise.all(Array.from({ length: AT_ONCE }, worker));
      const seconds = (performance.now() - began) / 1000;
      const { user, system } = process.cpuUsage(own);
      table.push({
        'a read of': what,
        'per second': Math.round(READS / seconds),
        requests: ((sum('requests') - requests) / READS).toFixed(2),
        received: `${Math.round((sum('bytes') - bytes) / READS / 1024)} KiB`,
        'CPU here': `${((user + system) / 1000 / READS).toFixed(2)} ms`,
        'CPU there': `${(((servers.cpu() - cpu) * 1000) / READS).toFixed(2)} ms`,
      });
      await oriel.close();
    }
  } finally {
    await servers.stop();
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
  return table;
}
