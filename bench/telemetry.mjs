// The cost of recording for a small read. In a program the recording is timed separately in calls that are made step by
// step: the part for which the caller waits by wall-clock time, writing, which happens later, by CPU time. Over
// MCP the CPU time of a recording server is compared with that of one without recording, alternating in many short turns;
// two servers without recording are compared too, as a measure of noise.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { start } from './lib/mcp.mjs';
import { quick, sized } from './lib/quick.mjs';
import { stepsOfACall } from './lib/recording-steps.mjs';

const recordingServer = fileURLToPath(new URL('./lib/recording-server.mjs', import.meta.url));

const TURNS = sized({ program: 200, mcp: 240 }, { program: 2, mcp: 2 });

const CALLS = sized(2_000, 100);

/** The share of the longest wall-clock times that is left out: calls interrupted by other processes or garbage collection. */
const INTERRUPTED = 0.01;

const CALLS_OVER_MCP = sized(256, 8);

/** Warm-up turns, until the code is optimized. */
const WARM_TURNS = sized(4, 0);

/** Recorded calls before the warm-up turns. */
const WARM_RECORDED = sized(50_000, 100);

const FILE = 'small.txt';

export async function rows() {
  const directory = mkdtempSync(join(tmpdir(), 'oriel-bench-'));
  try {
    writeFileSync(join(directory, FILE), 'a line of a small file\n'.repeat(20));
    // A recently written file is read differently.
    await new Promise((done) => setTimeout(done, sized(3_000, 0)));
    const file = join(directory, 'e');
    return [
      await inProgram(directory, 'in memory', {}),
      await inProgram(directory, 'in memory and a file', { file: { path: file } }),
      ...(quick
        ? []
        : [await overMcp(directory, 'nothing', false), await overMcp(directory, 'in memory', {})]),
      await overMcp(directory, 'in memory and a file', { file }),
    ];
  } finally {
    rmSync(directory, { recursive: true });
  }
}

async function inProgram(directory, recorded, options) {
  const { assemble, openCall, read, recordEnded, TelemetryRecorder } = await stepsOfACall();
  const { engine, limits, session, tool } = assemble({
    cwd: directory,
    roots: [directory],
    telemetry: false,
  });
  const telemetry = new TelemetryRecorder(options);
  // Its timer would fire within other calls; instead, writing is done and timed at the end of a turn.
  const flush = telemetry.flush.bind(telemetry);
  telemetry.flush = () => undefined;
  const recording = { ...engine, session: { telemetry } };
  const { name, prepare } = tool('read');
  const called = async () => {
    const began = performance.now();
    const { answer, ...order } = prepare({ path: FILE }, limits);
    const open = openCall(engine, order, {}, name, 0);
    const result = await open.settle(() => read(order.request, open.call, order.policy));
    const answered = answer(result);
    await open.close();
    // Every host serializes the answer; otherwise its lazy text would be built by the counting.
    JSON.stringify(answered);
    const { request } = order;
    return { tool: name, dialect: 'oriel', options: {}, began, request, result, answer: answered };
  };
  /** `[milliseconds of its calls, of their recording]` */
  const oneTurn = async () => {
    const noted = [];
    const began = processorOfThis();
    for (let i = 0; i < CALLS; i += 1) {
      const call = await called();
      const ended = performance.now();
      recordEnded(recording, call);
      noted.push(performance.now() - ended);
    }
    const before = processorOfThis();
    flush();
    const uninterrupted = noted.toSorted((one, other) => one - other).slice(0, (1 - INTERRUPTED) * CALLS);
    const mean = uninterrupted.reduce((sum, ms) => sum + ms, 0) / uninterrupted.length;
    return [before - began - mean * CALLS, mean * CALLS + processorOfThis() - before];
  };
  const warm = await called();
  for (let i = 0; i < WARM_RECORDED; i += 1) recordEnded(recording, warm);
  for (let turn = 0; turn < WARM_TURNS; turn += 1) await oneTurn();
  const turns = [];
  for (let turn = 0; turn < TURNS.program; turn += 1) turns.push(await oneTurn());
  await Promise.all([telemetry.close(), session.close()]);
  return row(`${recorded}, in a program`, turns, CALLS);
}

/** Milliseconds of CPU time of all threads, because files are read and garbage is collected in other threads. */
function processorOfThis() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** Each server is a process; work that it does between its turns counts too. */
async function overMcp(directory, recorded, telemetry) {
  const [without, with_] = [await server(directory, false), await server(directory, telemetry)];
  for (const one of [without, with_]) for (let i = 0; i < 16 * WARM_TURNS; i += 1) await one.turn();
  const turns = [];
  for (let turn = 0; turn < TURNS.mcp; turn += 1) {
    // Alternating, so that neither is always the first.
    const order = turn % 2 === 0 ? [without, with_] : [with_, without];
    const spent = new Map();
    for (const one of order) spent.set(one, await one.turn());
    turns.push([spent.get(without), spent.get(with_) - spent.get(without)]);
  }
  await Promise.all([without.stop(), with_.stop()]);
  return row(`${recorded}, over MCP`, turns, CALLS_OVER_MCP);
}

/** `turn()`: milliseconds of CPU time since the last turn. */
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

/** Milliseconds of CPU time so far, in nanosecond resolution. Source: Documentation/scheduler/sched-stats.rst. */
function processorMs(pid) {
  const of = (thread) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
  return readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => sum + of(thread), 0);
}

/** `turns`: `[milliseconds without recording, additional milliseconds]`. */
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

/** The median with its 95 % confidence interval from order statistics, which holds for any distribution. */
function medianWithin95(sorted) {
  const reach = 0.98 / Math.sqrt(sorted.length);
  return [0.5 - reach, 0.5, 0.5 + reach].map((share) => quantile(sorted, Math.min(1, Math.max(0, share))));
}
