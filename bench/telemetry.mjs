// What recording costs a small read, in a program and over MCP: the same calls with and without it, in turns, and the
// median of the ratios. Answers are written as JSON, as every host does with them: the text of one that nobody looks at
// was never put together, and recording, which counts its bytes, would be charged for that.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { start } from './lib/mcp.mjs';
import { cli } from './lib/process.mjs';
import { sized } from './lib/quick.mjs';
import { median } from './lib/table.mjs';

const TURNS = sized(40, 5);

/** Enough of them for a turn to hold ten collections of garbage: with one or two, chance decides. */
const CALLS = sized(2_048, 256);

const MCP_CALLS = sized(1_024, 64);

const FILE = 'small.txt';

export async function rows() {
  const { createOriel } = await import('../dist/index.js');
  const directory = mkdtempSync(join(tmpdir(), 'oriel-bench-'));
  try {
    writeFileSync(join(directory, FILE), 'a line of a small file\n'.repeat(20));
    // A file that has just been written is read in a way of its own.
    await new Promise((done) => setTimeout(done, 3_000));
    const file = (name) => join(directory, `${name}.jsonl`);
    const program = (telemetry) => inProgram(createOriel({ cwd: directory, roots: [directory], telemetry }));
    const mcp = (...flags) => overMcp(directory, flags);
    return [
      { recorded: 'in memory', ...(await compared(program(false), program({}))) },
      {
        recorded: 'in memory and a file',
        ...(await compared(program(false), program({ file: file('program') }))),
      },
      {
        recorded: 'a file, over MCP',
        ...(await compared(await mcp(), await mcp('--telemetry', file('mcp')))),
      },
    ];
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** `{ turn, cpu, close }`: milliseconds of processor time so far. */
function inProgram(oriel) {
  const read = oriel.tool('read');
  return {
    async turn() {
      for (let i = 0; i < CALLS; i += 1) JSON.stringify(await read.run({ path: FILE }));
      return CALLS;
    },
    cpu() {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1_000;
    },
    close: () => oriel.close(),
  };
}

async function overMcp(directory, flags) {
  const server = await start([process.execPath, [cli, 'mcp', directory, ...flags]], directory);
  return {
    async turn() {
      for (let i = 0; i < MCP_CALLS; i += 1) {
        const { result } = await server.ask('tools/call', { name: 'read', arguments: { path: FILE } });
        if (!result || result.isError) throw new Error('nothing was read');
      }
      return MCP_CALLS;
    },
    cpu: () => processorMs(server.pid),
    close: server.stop,
  };
}

/** Of all threads, to the nanosecond. Source: Documentation/scheduler/sched-stats.rst. */
function processorMs(pid) {
  const spent = (thread) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]);
  return readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => sum + spent(thread) / 1e6, 0);
}

async function compared(without, with_) {
  const pairs = [];
  for (let turn = 0; turn < TURNS; turn += 1) {
    const order = turn % 2 === 0 ? [without, with_] : [with_, without];
    const [first, second] = [await timed(order[0]), await timed(order[1])];
    if (turn >= TURNS / 10) pairs.push(turn % 2 === 0 ? [first, second] : [second, first]);
  }
  await Promise.all([without.close(), with_.close()]);
  const of = (name) => median(pairs.map(([a, b]) => b[name] / a[name]));
  const percent = (ratio) => `${(100 * (ratio - 1)).toFixed(1)} %`;
  return {
    'a read without': `${Math.round(1_000 * median(pairs.map(([a]) => a.cpu)))} µs`,
    'more processor time': percent(of('cpu')),
    'more wall time': percent(of('wall')),
    turns: pairs.length,
  };
}

/** Milliseconds a call. */
async function timed(one) {
  const [began, before] = [performance.now(), one.cpu()];
  const calls = await one.turn();
  return { wall: (performance.now() - began) / calls, cpu: (one.cpu() - before) / calls };
}
