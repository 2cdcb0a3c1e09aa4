// What recording costs a small read, in a program and over MCP: the same calls with and without it, in turns; the median
// of the ratios, and the quartiles around it. Two that record nothing are compared as well: so much is chance. Answers are
// written as JSON, as every host does with them: the text of one that nobody looks at was never put together, and
// recording, which counts its bytes, would be charged for that.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createOriel } from '../dist/index.js';
import { start } from './lib/mcp.mjs';
import { sized } from './lib/quick.mjs';

const recordingServer = fileURLToPath(new URL('./lib/recording-server.mjs', import.meta.url));

const TURNS = sized(40, 5);

/** Enough of them for a turn to hold ten collections of garbage: with one or two, chance decides. */
const CALLS = sized(2_048, 256);

const MCP_CALLS = sized(1_024, 64);

/** Milliseconds after each turn, so that what is put off is done in the turn that it belongs to. */
const REST_MS = 250;

const FILE = 'small.txt';

export async function rows() {
  const directory = mkdtempSync(join(tmpdir(), 'oriel-bench-'));
  try {
    writeFileSync(join(directory, FILE), 'a line of a small file\n'.repeat(20));
    // A file that has just been written is read in a way of its own.
    await new Promise((done) => setTimeout(done, 3_000));
    const kinds = { nothing: false, 'in memory': {}, 'in memory and a file': { file: join(directory, 'e') } };
    const found = [];
    for (const [over, open] of [
      ['in a program', inProgram],
      ['over MCP', overMcp],
    ]) {
      for (const [recorded, telemetry] of Object.entries(kinds)) {
        const pair = [await open(directory, false), await open(directory, telemetry)];
        found.push({ recorded: `${recorded}, ${over}`, ...(await compared(...pair)) });
      }
    }
    return found;
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** `{ turn, pid, close }`: the process whose time is measured. */
function inProgram(directory, telemetry) {
  const oriel = createOriel({ cwd: directory, roots: [directory], telemetry });
  const read = oriel.tool('read');
  return {
    async turn() {
      for (let i = 0; i < CALLS; i += 1) JSON.stringify(await read.run({ path: FILE }));
      return CALLS;
    },
    pid: process.pid,
    close: () => oriel.close(),
  };
}

async function overMcp(directory, telemetry) {
  const args = [recordingServer, directory, JSON.stringify(telemetry)];
  const server = await start([process.execPath, args], directory);
  return {
    async turn() {
      for (let i = 0; i < MCP_CALLS; i += 1) {
        const { result } = await server.ask('tools/call', { name: 'read', arguments: { path: FILE } });
        if (!result || result.isError) throw new Error('nothing was read');
      }
      return MCP_CALLS;
    },
    pid: server.pid,
    close: server.stop,
  };
}

/** Milliseconds of processor time so far, to the nanosecond. Source: Documentation/scheduler/sched-stats.rst. */
function spent(pid) {
  const of = (thread) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
  const all = readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => sum + of(thread), 0);
  return { all, main: of(pid) };
}

async function compared(without, with_) {
  const pairs = [];
  for (let turn = 0; turn < TURNS; turn += 1) {
    const order = turn % 2 === 0 ? [without, with_] : [with_, without];
    const [first, second] = [await timed(order[0]), await timed(order[1])];
    if (turn >= TURNS / 10) pairs.push(turn % 2 === 0 ? [first, second] : [second, first]);
  }
  await Promise.all([without.close(), with_.close()]);
  const median = (name) =>
    quantile(
      pairs.map(([a]) => a[name]),
      0.5,
    );
  const more = (name) => {
    const ratios = pairs.map(([a, b]) => b[name] / a[name]);
    const [low, middle, high] = [0.25, 0.5, 0.75].map((share) => percent(quantile(ratios, share)));
    return `${middle} % (${low} to ${high})`;
  };
  return {
    'a read without': `${Math.round(1_000 * median('all'))} µs`,
    'more processor time': more('all'),
    'of the main thread': more('main'),
    turns: pairs.length,
  };
}

const percent = (ratio) => (100 * (ratio - 1)).toFixed(1);

function quantile(values, share) {
  return values.toSorted((a, b) => a - b)[Math.floor(share * (values.length - 1))];
}

/** Milliseconds of processor time a call. */
async function timed(one) {
  const before = spent(one.pid);
  const calls = await one.turn();
  await new Promise((done) => setTimeout(done, REST_MS));
  const after = spent(one.pid);
  return { all: (after.all - before.all) / calls, main: (after.main - before.main) / calls };
}
