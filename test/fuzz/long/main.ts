/**
 * A long run: `npm run fuzz:long -- [TARGET | GROUP]… [--runs N] [--seed N] [--first N]`. Each target is tried on N inputs in a
 * thread; this one watches it, and ends it where one input takes ten seconds of the processor.
 */

import { parseArgs } from 'node:util';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { type Failure, inputOf, runTarget } from './run-target.ts';
import { targetsNamed } from './targets-by-name.ts';

const HANG_SECONDS = 10;
const LOOK_MS = 1_000;
/** A target that hangs so often is not tried further. */
const MOST_HANGS = 3;

interface Job {
  readonly target: string;
  readonly seed: number;
  readonly first: number;
  readonly runs: number;
  readonly shared: SharedArrayBuffer;
}

async function work({ target, shared, ...stretch }: Job): Promise<void> {
  const place = new Int32Array(shared);
  const [found] = targetsNamed([target]);
  if (!found) throw new Error(`there is no target ${target}`);
  const began = (index: number): void => {
    place[0] = index;
  };
  parentPort?.postMessage(await runTarget(found, { ...stretch, began }));
}

interface Ended {
  /** Index of the first input that was not tried. */
  readonly until: number;
  readonly failures: readonly Failure[];
  readonly hang?: Failure;
}

/** Runs a thread to its end, or to an input on which it hangs. */
function watch(job: Omit<Job, 'shared'>): Promise<Ended> {
  const shared = new SharedArrayBuffer(4);
  const place = new Int32Array(shared);
  const worker = new Worker(new URL(import.meta.url), { workerData: { ...job, shared } });
  return new Promise((resolve) => {
    let last = { index: -1, cpu: process.cpuUsage() };
    const timer = setInterval(() => {
      const index = Atomics.load(place, 0);
      const { user, system } = process.cpuUsage(last.cpu);
      if (index !== last.index) last = { index, cpu: process.cpuUsage() };
      else if (user + system > HANG_SECONDS * 1e6) {
        clearInterval(timer);
        const hang = failureAt(job, index, 'no end');
        void worker.terminate().then(() => resolve({ until: index + 1, failures: [], hang }));
      }
    }, LOOK_MS);
    worker.once('message', (failures: Failure[]) => {
      clearInterval(timer);
      resolve({ until: job.first + job.runs, failures });
    });
    // A rejection that nobody handles ends the thread. It may be of an earlier input, since it is reported later.
    worker.once('error', (error) => {
      clearInterval(timer);
      const index = Atomics.load(place, 0);
      resolve({ until: index + 1, failures: [failureAt(job, index, `the thread ended: ${String(error)}`)] });
    });
  });
}

function failureAt({ target: name, seed }: Omit<Job, 'shared'>, index: number, error: string): Failure {
  const [target] = targetsNamed([name]);
  const input = target ? inputOf(target, seed, index).toString('latin1') : '';
  return { target: name, seed, index, input, error };
}

const all = targetsNamed([]);
const NAMES = `Groups: ${[...new Set(all.map(({ group }) => group))].join(', ')}
Targets: ${all.map(({ name }) => name).join(', ')}`;
const USAGE = `npm run fuzz:long -- [TARGET | GROUP]… [--runs N] [--seed N] [--first N]
Without a name all targets run, a million inputs each.
${NAMES}`;

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: {
      help: { type: 'boolean', short: 'h' },
      runs: { type: 'string', default: '1e6' },
      seed: { type: 'string', default: String(Date.now() % 1e9) },
      first: { type: 'string', default: '0' },
    },
    allowPositionals: true,
  });
  if (values.help) return console.log(USAGE);
  const [runs, seed, first] = [Number(values.runs), Number(values.seed), Number(values.first)];
  const unknown = positionals.filter((name) => targetsNamed([name]).length === 0);
  if (unknown.length > 0) {
    console.error(`There is no target or group ${unknown.join(', ')}.\n${NAMES}`);
    process.exitCode = 2;
    return;
  }
  const targets = targetsNamed(positionals);
  console.log(`seed ${seed}`);
  const table = [];
  for (const { name: target } of targets) {
    const cpu = process.cpuUsage();
    const began = performance.now();
    const failures: Failure[] = [];
    const hangs: Failure[] = [];
    let at = first;
    while (at < first + runs && hangs.length < MOST_HANGS) {
      const ended = await watch({ target, seed, first: at, runs: first + runs - at });
      failures.push(...ended.failures);
      if (ended.hang) hangs.push(ended.hang);
      at = ended.until;
    }
    const { user, system } = process.cpuUsage(cpu);
    const seconds = (performance.now() - began) / 1_000;
    // Fewer than asked for after too many hangs.
    const tried = at - first;
    table.push({
      target,
      runs: tried,
      failures: failures.length,
      hangs: hangs.length,
      'cpu s': round((user + system) / 1e6),
      seconds: round(seconds),
      'µs each': round((user + system) / tried),
    });
    console.log(JSON.stringify(table.at(-1)));
    for (const one of [...failures, ...hangs]) console.log(JSON.stringify(one));
    if (failures.length + hangs.length > 0) process.exitCode = 1;
  }
  console.table(table);
}

const round = (value: number): number => Math.round(value * 10) / 10;

await (isMainThread ? main() : work(workerData as Job));
