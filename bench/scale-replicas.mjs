// Throughput of 1, 2 and 4 replicas of `oriel serve` on one shared store, asked in turn without a balancer. The load comes
// from this process: where it and the store leave the replicas no cores, what counts is the work per second of CPU.
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { folder } from './lib/data.mjs';
import { cli } from './lib/process.mjs';
import { sized } from './lib/quick.mjs';
import { Replicas } from './lib/replicas.mjs';
import { ratio } from './lib/table.mjs';

const COUNTS = sized([1, 2, 4], [1, 2]);
const SECONDS = sized(5, 1);
const CONNECTIONS = 32;
const LINES = 20_000;

const MIX = {
  'a page of a file': (i) => ['read', { path: `lines.txt:${1 + ((i * 37) % (LINES - 100))}+50` }],
  'a page of a kept output': (i, kept) => ['read', { path: `${kept}:${1 + ((i * 37) % (LINES - 100))}+50` }],
  'an output is kept': () => ['bash', { command: `seq ${LINES}` }],
};

export async function rows() {
  const program = ['redis-server', 'valkey-server'].find(
    (name) => spawnSync(name, ['--version']).status === 0,
  );
  if (!program) return [{ 'not measured': 'redis-server is not installed' }];
  mkdirSync(folder, { recursive: true });
  const lines = Array.from({ length: LINES }, (_, i) => `line ${i + 1} of a file that is read by pages\n`);
  writeFileSync(join(folder, 'lines.txt'), lines.join(''));
  const home = mkdtempSync(join(tmpdir(), 'oriel-scale-'));
  const port = await freePort();
  const quiet = ['--bind', '127.0.0.1', '--save', '', '--dir', home];
  const store = spawn(program, ['--port', String(port), ...quiet], { stdio: 'ignore' });
  const keyFile = join(home, 'key');
  writeFileSync(keyFile, 'the key of a bench, which is long enough\n', { mode: 0o600 });
  const table = [];
  const alone = {};
  try {
    for (const count of COUNTS) {
      const state = ['--state', `redis://127.0.0.1:${port}`, '--state-key-file', keyFile];
      const serve = [
        cli,
        'serve',
        folder,
        '--listen',
        '127.0.0.1:0',
        '--allow-bash',
        '--max-connections',
        '1024',
      ];
      const replicas = await Replicas.start(count, [...serve, ...state], home);
      try {
        const kept = await replicas.keep(`seq ${LINES}`);
        for (const [what, ask] of Object.entries(MIX)) {
          await replicas.load(CONNECTIONS, 1, (i) => ask(i, kept));
          const got = await replicas.load(CONNECTIONS, SECONDS, (i) => ask(i, kept));
          alone[what] ??= got;
          table.push(row(what, count, got, alone[what]));
        }
      } finally {
        await replicas.stop();
      }
    }
  } finally {
    store.kill();
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
  return table;
}

function row(what, count, got, one) {
  return {
    what,
    replicas: count,
    'per second': Math.round(got.perSecond),
    'to one replica': ratio(got.perSecond, one.perSecond),
    'CPU of a replica': `${got.cpuMs.toFixed(2)} ms`,
    'per core, to one': ratio(one.cpuMs, got.cpuMs),
    'CPU of the load': `${got.ownMs.toFixed(2)} ms`,
    answer: `${Math.round(got.bytes)} bytes`,
    'store operations': got.operations.toFixed(2),
    'store bytes': Math.round(got.stored),
    'memory of a replica': `${got.memory.toFixed(0)} MB`,
  };
}

function freePort() {
  return new Promise((done) => {
    const server = createServer();
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => done(port));
    });
  });
}
