/** What `oriel worker` does: it takes jobs until a signal ends it, and answers what an operator asks of it. */

import type { ExitCode, CliStreams } from '../../../src/faces/cli/options.ts';
import type { WorkerSettings } from '../../../src/faces/cli/serve-command.ts';
import type { HttpApp } from '../../../src/faces/http/app.ts';
import type { MetricFamily } from '../../../src/faces/http/metrics.ts';
import type { StateStats, WorkEvent } from '../../../src/types/state.ts';
import { oriel } from './oriel.ts';
import { openStore } from './state/store.ts';
import { type RunningJobs, runJobs } from './state/run-jobs.ts';

/** Milliseconds that running jobs have to end after a signal. */
export const WORKER_DRAIN_MS = 20_000;

/** Milliseconds for giving back the jobs that have not ended. */
const GIVING_BACK_MS = 2_000;

/** `handlers`: the work that it does. */
export async function runWorker(
  { handlers, jobs, perMinute, address, state: options }: WorkerSettings,
  { err, signal }: CliStreams,
): Promise<ExitCode> {
  const state = options && openStore({ ...options, workers: true });
  if (!options || !state)
    throw new oriel.OrielError(
      'BAD_INPUT',
      'A worker takes its jobs from a shared state. Use --state redis://HOST:PORT --state-key-file FILE.',
    );
  const log = oriel.createLog(err);
  state.onChange(({ kind, ...why }) => log(`state-${kind}`, why));
  let running: RunningJobs | undefined;
  const app = createWorkerApp(
    () => running,
    () => state.stats(),
  );
  const serving = address && (await oriel.listenFor(app, { address, option: '--metrics' }));
  if (serving) log('listening', { address: oriel.addressText(serving.address) });
  // Reports immediately if the store refuses the password or is unavailable; `runJobs` then waits for it.
  await state.connected();
  running = await runJobs({
    url: options.url,
    state,
    handlers,
    jobs,
    perMinute,
    signal,
    log: (ended) => {
      const { event, ...facts } = ended;
      app.ended(ended);
      log(event, { ...facts });
    },
  });
  if (running) {
    log('working', { jobs });
    if (!signal.aborted)
      await new Promise((resolve) => void signal.addEventListener('abort', resolve, { once: true }));
    await oriel.within(WORKER_DRAIN_MS, running.close());
    await oriel.within(GIVING_BACK_MS, running.giveBack());
  }
  await serving?.close();
  await state.close();
  log('ended');
  await log.flush();
  return 0;
}

// The HTTP routes: liveness and counters, without any data of its jobs.

const TEXT = { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' };
const JSON_TYPE = { 'content-type': 'application/json' };

function createWorkerApp(
  jobs: () => RunningJobs | undefined,
  state: () => StateStats,
): HttpApp & { ended(event: WorkEvent): void } {
  const ends = new Map<string, number>();
  const seconds = new Map<string, number>();
  const add = (to: Map<string, number>, of: Record<string, string>, by: number): void =>
    void to.set(oriel.labels(of), (to.get(oriel.labels(of)) ?? 0) + by);
  const metrics = async (): Promise<string> => {
    const taken = jobs();
    const waiting = (await taken?.waiting()) ?? new Map<string, number>();
    const families: readonly (readonly [string, MetricFamily])[] = [
      ['oriel_jobs_total', { help: 'Jobs, by how they ended.', type: 'counter', values: ends }],
      [
        'oriel_job_seconds_total',
        { help: 'Time from taking a job to its end.', type: 'counter', values: seconds },
      ],
      ['oriel_jobs_running', byKind('Jobs under way.', taken?.running() ?? new Map())],
      // Queues that do not answer are omitted.
      ['oriel_jobs_waiting', byKind('Jobs that wait for any worker.', waiting)],
      ...oriel.stateFamilies(state()),
    ];
    return families.map(([name, family]) => oriel.familyText(name, family)).join('');
  };
  return {
    ended({ kind, outcome, ms }) {
      add(ends, { kind, outcome }, 1);
      add(seconds, { kind }, ms / 1000);
    },
    receive: ({ method, url = '' }, response) => ({
      async answer() {
        const path = url.split('?')[0];
        if (method !== 'GET' && method !== 'HEAD')
          return void response.writeHead(405, { allow: 'GET' }).end();
        if (path === '/healthz') return void response.writeHead(200, JSON_TYPE).end('{"status":"ok"}');
        if (path !== '/metrics') return void response.writeHead(404).end();
        response.writeHead(200, TEXT).end(await metrics());
      },
    }),
  };
}

function byKind(help: string, counts: ReadonlyMap<string, number>): MetricFamily {
  return {
    help,
    type: 'gauge',
    values: new Map([...counts].map(([kind, count]) => [oriel.labels({ kind }), count])),
  };
}
