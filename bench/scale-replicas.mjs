// Throughput of 1, 2 and 4 replicas of `oriel serve` with a shared store, round-robin without a load balancer. The load comes
// from this process; if it and the store leave no cores for the replicas, compare the work per CPU second.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { folder } from './lib/data.mjs';
import { cli, withCommands } from './lib/process.mjs';
import { sized } from './lib/quick.mjs';
import { Replicas } from './lib/replicas.mjs';
import { NO_STORE, startStore } from './lib/store.mjs';
import { ratio } from './lib/table.mjs';

const COUNTS = sized([1, 2, 4], [1]);
const SECONDS = sized(5, 0.2);
const WARM_SECONDS = sized(1, 0.1);
const CONNECTIONS = 32;
const LINES = 20_000;

const MIX = {
  'a page of a file': (i) => ['read', { path: `lines.txt:${1 + ((i * 37) % (LINES - 100))}+50` }],
  'a page of a kept output': (i, kept) => ['read', { path: `${kept}:${1 + ((i * 37) % (LINES - 100))}+50` }],
  'an output is kept': () => ['bash', { command: `seq ${LINES}` }],
};

/** Also measured: a page with hashline anchors, which other replicas can recall. */
const WITH_ANCHORS = { 'a page with anchors': MIX['a page of a file'] };

export async function rows() {
  const store = await startStore();
  if (!store) return NO_STORE;
  mkdirSync(folder, { recursive: true });
  const lines = Array.from({ length: LINES }, (_, i) => `line ${i + 1} of a file that is read by pages\n`);
  writeFileSync(join(folder, 'lines.txt'), lines.join(''));
  const table = [];
  const alone = {};
  const measure = async (count, mix, more = []) => {
    const state = ['--state', store.url, '--state-key-file', store.keyFile];
    const listen = ['--listen', '127.0.0.1:0', '--max-connections', '1024'];
    const serve = [cli, 'serve', folder, ...withCommands(), ...listen, ...state, ...more];
    const replicas = await Replicas.start(count, serve, store.home);
    try {
      const kept = await replicas.keep(`seq ${LINES}`);
      for (const [what, ask] of Object.entries(mix)) {
        await replicas.load(CONNECTIONS, WARM_SECONDS, (i) => ask(i, kept));
        const got = await replicas.load(CONNECTIONS, SECONDS, (i) => ask(i, kept));
        alone[what] ??= got;
        table.push(row(what, count, got, alone[what]));
      }
    } finally {
      await replicas.stop();
    }
  };
  try {
    for (const count of COUNTS) await measure(count, MIX);
    await measure(2, WITH_ANCHORS, ['--display', 'hashline']);
  } finally {
    store.stop();
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
