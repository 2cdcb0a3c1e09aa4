/** The HTTP routes of a worker: liveness and counters, without any data of its jobs. */

import type { RunningJobs } from '../../state/run-jobs.ts';
import type { StateStats, WorkEvent } from '../../types/state.ts';
import type { HttpApp } from './app.ts';
import { familyText, labels, type MetricFamily, stateFamilies } from './metrics.ts';

export interface WorkerFacts {
  /** Undefined until the worker takes jobs. */
  readonly jobs: () => Pick<RunningJobs, 'running' | 'waiting'> | undefined;
  readonly state: () => StateStats;
}

export interface WorkerApp extends HttpApp {
  ended(event: WorkEvent): void;
}

const TEXT = { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' };
const JSON_TYPE = { 'content-type': 'application/json' };

export function createWorkerApp({ jobs, state }: WorkerFacts): WorkerApp {
  const ends = new Map<string, number>();
  const seconds = new Map<string, number>();
  const add = (to: Map<string, number>, of: Record<string, string>, by: number): void =>
    void to.set(labels(of), (to.get(labels(of)) ?? 0) + by);
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
      ...stateFamilies(state()),
    ];
    return families.map(([name, family]) => familyText(name, family)).join('');
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
    values: new Map([...counts].map(([kind, count]) => [labels({ kind }), count])),
  };
}
