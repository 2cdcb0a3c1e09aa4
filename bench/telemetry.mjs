// What recording costs a small read. In a program it is measured by itself, in calls that are made step by step: what is
// done while the caller waits by the clock, in each call, and counting and writing, which come later, by processor time. Over
// MCP two servers are compared, one of which records nothing, in many short turns, by processor time; two that both record
// nothing are compared as well: so much is chance.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { start } from './lib/mcp.mjs';
import { sized } from './lib/quick.mjs';
import { stepsOfACall } from './lib/recording-steps.mjs';

const recordingServer = fileURLToPath(new URL('./lib/recording-server.mjs', import.meta.url));

const TURNS = sized({ program: 200, mcp: 240 }, { program: 8, mcp: 4 });

/** Several times as many as wait to be counted: counting them is in the turn that they belong to. */
const CALLS = 8 * 255;

/** Calls after which they are counted: one more, and they were within a call. */
const BLOCK = 255;

/** Of the times by the clock, those that are left out: of calls that another process interrupted, or a collection of garbage. */
const INTERRUPTED = 0.01;

const CALLS_OVER_MCP = 256;

/** Turns before anything is measured: by then the compiler has seen all of it. */
const WARM_TURNS = sized(4, 1);

/** Calls that are recorded before that. */
const WARM_RECORDED = sized(50_000, 1_000);

const FILE = 'small.txt';

export async function rows() {
  const directory = mkdtempSync(join(tmpdir(), 'oriel-bench-'));
  try {
    writeFileSync(join(directory, FILE), 'a line of a small file\n'.repeat(20));
    // A file that has just been written is read in a way of its own.
    await new Promise((done) => setTimeout(done, 3_000));
    const file = join(directory, 'e');
    return [
      await inProgram(directory, 'in memory', {}),
      await inProgram(directory, 'in memory and a file', { file: { path: file } }),
      await overMcp(directory, 'nothing', false),
      await overMcp(directory, 'in memory', {}),
      await overMcp(directory, 'in memory and a file', { file }),
    ];
  } finally {
    rmSync(directory, { recursive: true });
  }
}

async function inProgram(directory, recorded, options) {
  const { assemble, openCall, read, recordEnded, Telemetry } = await stepsOfACall();
  const { engine, limits, session, tool } = assemble({
    cwd: directory,
    roots: [directory],
    telemetry: false,
  });
  const telemetry = new Telemetry(options);
  // Its timer would fire within other calls: what waits is counted and written at the end of a turn, where it is timed.
  const flush = telemetry.flush.bind(telemetry);
  telemetry.flush = () => Promise.resolve();
  const recording = { ...engine, session: { telemetry } };
  const { name, prepare } = tool('read');
  const called = async () => {
    const began = performance.now();
    const { answer, ...order } = prepare({ path: FILE }, limits);
    const open = openCall(engine, order, {}, name, 0);
    const result = await open.settle(() => read(order.request, open.call, order.policy));
    const answered = answer(result);
    await open.close();
    // As every host does: the text of an answer that nobody looks at would be put together to be counted.
    JSON.stringify(answered);
    const { request } = order;
    return { tool: name, dialect: 'oriel', options: {}, began, request, result, answer: answered };
  };
  /** `[milliseconds of its calls, of their recording]` */
  const oneTurn = async () => {
    const noted = [];
    let [calls, counted] = [0, 0];
    for (let done = 0; done < CALLS; done += BLOCK) {
      const began = processorOfThis();
      for (let i = 0; i < BLOCK; i += 1) {
        const call = await called();
        const ended = performance.now();
        recordEnded(recording, call);
        noted.push(performance.now() - ended);
      }
      const between = processorOfThis();
      telemetry.settle();
      calls += between - began;
      counted += processorOfThis() - between;
    }
    const before = processorOfThis();
    await flush();
    const uninterrupted = noted.toSorted((one, other) => one - other).slice(0, (1 - INTERRUPTED) * CALLS);
    const mean = uninterrupted.reduce((sum, ms) => sum + ms, 0) / uninterrupted.length;
    return [calls - mean * CALLS, mean * CALLS + counted + processorOfThis() - before];
  };
  const warm = await called();
  for (let i = 0; i < WARM_RECORDED; i += 1) recordEnded(recording, warm);
  for (let turn = 0; turn < WARM_TURNS; turn += 1) await oneTurn();
  const turns = [];
  for (let turn = 0; turn < TURNS.program; turn += 1) turns.push(await oneTurn());
  await Promise.all([telemetry.close(), session.close()]);
  return row(`${recorded}, in a program`, turns, CALLS);
}

/** Milliseconds of processor time of all threads: files are read and written in others, and garbage is collected there. */
function processorOfThis() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** Each has a process of its own: what it does between its turns, when others have theirs, is its work all the same. */
async function overMcp(directory, recorded, telemetry) {
  const [without, with_] = [await server(directory, false), await server(directory, telemetry)];
  for (const one of [without, with_]) for (let i = 0; i < 16 * WARM_TURNS; i += 1) await one.turn();
  const turns = [];
  for (let turn = 0; turn < TURNS.mcp; turn += 1) {
    // In turns, so that neither is always the first.
    const order = turn % 2 === 0 ? [without, with_] : [with_, without];
    const spent = new Map();
    for (const one of order) spent.set(one, await one.turn());
    turns.push([spent.get(without), spent.get(with_) - spent.get(without)]);
  }
  await Promise.all([without.stop(), with_.stop()]);
  return row(`${recorded}, over MCP`, turns, CALLS_OVER_MCP);
}

/** `turn()`: milliseconds of processor time since the last one. */
async function server(directory, telemetry) {
  const args = [recordingServer, directory, JSON.stringify(telemetry)];
  const { ask, pid, stop } = await start([process.execPath, args], directory);
  let before = processorMs(pid);
  return {
    stop,
    async turn() {
      for (let i = 0; i < CALLS_OVER_MCP; i += 1) {
        const { result } = await ask('tools/call', { name: 'read', arguments: { path: FILE } });
        if (!result || result.isError) throw new Error('nothing was read');
      }
      const after = processorMs(pid);
      const spent = after - before;
      before = after;
      return spent;
    },
  };
}

/** Milliseconds of processor time so far, to the nanosecond. Source: Documentation/scheduler/sched-stats.rst. */
function processorMs(pid) {
  const of = (thread) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
  return readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => sum + of(thread), 0);
}

/** Of turns as `[milliseconds without recording, milliseconds more]`. */
function row(recorded, turns, calls) {
  const sorted = (of) => turns.map(of).toSorted((one, other) => one - other);
  const micros = (times) => (1_000 * quantile(times, 0.5)) / calls;
  const [low, middle, high] = medianWithin95(sorted(([without, more]) => more / without)).map((share) =>
    (100 * share).toFixed(1),
  );
  return {
    recorded,
    'a read without': `${micros(sorted(([without]) => without)).toFixed(0)} µs`,
    recording: `${micros(sorted(([, more]) => more)).toFixed(1)} µs`,
    'more time': `${middle} %`,
    '95 % interval': `${low} to ${high} %`,
    turns: turns.length,
  };
}

const quantile = (sorted, share) => sorted[Math.round(share * (sorted.length - 1))];

/** The median, between the order statistics that hold the true one in 95 of 100 runs, whatever the distribution. */
function medianWithin95(sorted) {
  const reach = 0.98 / Math.sqrt(sorted.length);
  return [0.5 - reach, 0.5, 0.5 + reach].map((share) => quantile(sorted, Math.min(1, Math.max(0, share))));
}
