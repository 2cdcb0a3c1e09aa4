// What recording costs a small read, in a program and over MCP: the same calls with and without it, in many short turns,
// and the median of their ratios. Two that record nothing are compared as well: so much is chance. Answers are
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

const TURNS = sized({ program: 800, mcp: 240 }, { program: 8, mcp: 4 });

/** As many as wait to be counted: counting them is in the turn that they belong to. */
const CALLS = 256;

/** Before anything is measured: by then the compiler has seen all of it. */
const WARM_CALLS = sized(4_096, 256);

const FILE = 'small.txt';

export async function rows() {
  const directory = mkdtempSync(join(tmpdir(), 'oriel-bench-'));
  try {
    writeFileSync(join(directory, FILE), 'a line of a small file\n'.repeat(20));
    // A file that has just been written is read in a way of its own.
    await new Promise((done) => setTimeout(done, 3_000));
    const kinds = { nothing: false, 'in memory': {}, 'in memory and a file': { file: join(directory, 'e') } };
    const found = [];
    for (const [recorded, telemetry] of Object.entries(kinds)) {
      const pair = [await inProgram(directory, false), await inProgram(directory, telemetry)];
      found.push({ recorded: `${recorded}, in a program`, ...(await compared(pair, TURNS.program)) });
    }
    for (const [recorded, telemetry] of Object.entries(kinds)) {
      const pair = [await overMcp(directory, false), await overMcp(directory, telemetry)];
      found.push({ recorded: `${recorded}, over MCP`, ...(await compared(pair, TURNS.mcp)) });
    }
    return found;
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** `{ calls, spent, close }`; the two of a pair share the process, which does nothing else: its time is that of the clock. */
function inProgram(directory, telemetry) {
  const oriel = createOriel({ cwd: directory, roots: [directory], telemetry });
  const read = oriel.tool('read');
  let spent = 0;
  return {
    async calls(count) {
      const began = performance.now();
      for (let i = 0; i < count; i += 1) JSON.stringify(await read.run({ path: FILE }));
      spent += performance.now() - began;
    },
    spent: () => spent,
    close: () => oriel.close(),
  };
}

/** Each has a process of its own: what it does between its turns, when others have theirs, is its work all the same. */
async function overMcp(directory, telemetry) {
  const args = [recordingServer, directory, JSON.stringify(telemetry)];
  const server = await start([process.execPath, args], directory);
  return {
    async calls(count) {
      for (let i = 0; i < count; i += 1) {
        const { result } = await server.ask('tools/call', { name: 'read', arguments: { path: FILE } });
        if (!result || result.isError) throw new Error('nothing was read');
      }
    },
    spent: () => processorMs(server.pid),
    close: server.stop,
  };
}

/** Milliseconds of processor time so far, to the nanosecond. Source: Documentation/scheduler/sched-stats.rst. */
function processorMs(pid) {
  const of = (thread) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
  return readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => sum + of(thread), 0);
}

async function compared([without, with_], turns) {
  for (const one of [without, with_]) await one.calls(WARM_CALLS);
  const pairs = [];
  for (let turn = 0; turn < turns; turn += 1) {
    const isSwapped = turn % 2 === 1;
    const order = isSwapped ? [with_, without] : [without, with_];
    const [first, second] = [await timed(order[0]), await timed(order[1])];
    pairs.push(isSwapped ? [second, first] : [first, second]);
  }
  await Promise.all([without.close(), with_.close()]);
  const ratios = pairs.map(([a, b]) => b / a).toSorted((a, b) => a - b);
  const [low, middle, high] = medianWithin95(ratios).map(percent);
  const a = quantile(
    pairs.map(([time]) => time).toSorted((one, other) => one - other),
    0.5,
  );
  return {
    'a read without': `${Math.round((1_000 * a) / CALLS)} µs`,
    'more time': `${middle} %`,
    '95 % interval': `${low} to ${high} %`,
    turns: pairs.length,
  };
}

const spentBefore = new WeakMap();

/** Milliseconds that it took since it was measured last. */
async function timed(one) {
  const before = spentBefore.get(one) ?? one.spent();
  await one.calls(CALLS);
  const after = one.spent();
  spentBefore.set(one, after);
  return after - before;
}

const percent = (ratio) => (100 * (ratio - 1)).toFixed(1);

const quantile = (sorted, share) => sorted[Math.round(share * (sorted.length - 1))];

/** The median, between the order statistics that hold the true one in 95 of 100 runs, whatever the distribution. */
function medianWithin95(sorted) {
  const reach = 0.98 / Math.sqrt(sorted.length);
  return [0.5 - reach, 0.5, 0.5 + reach].map((share) => quantile(sorted, Math.min(1, Math.max(0, share))));
}
