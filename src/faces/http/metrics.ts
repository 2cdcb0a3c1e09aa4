/** What is counted about calls, requests and queues, as Prometheus reads it. */

import type { Queue } from '../../queues/queue.ts';
import { queues } from '../../queues/table.ts';
import type { Answer } from '../../types/answer.ts';

/** Seconds. */
const BUCKETS = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 60];

interface Family {
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** By labels, as they stand in the text. */
  readonly values: ReadonlyMap<string, number>;
}

/** What a call came to. */
export interface Ended {
  /** Of text in its answer. */
  readonly bytes: number;
  /** The limit that cut it. */
  readonly cutBy?: string | undefined;
  /** The code of its failure. */
  readonly error?: string | undefined;
}

export interface Metrics {
  call(tool: string, ended: Ended, seconds: number): void;
  request(route: string, status: number): void;
  /** Prometheus text, version 0.0.4. */
  text(): string;
}

export function createMetrics(): Metrics {
  const families = new Map<string, Family>();
  const family = (name: string, help: string, type: Family['type'] = 'counter'): Map<string, number> => {
    const values = new Map<string, number>();
    families.set(name, { help, type, values });
    return values;
  };
  const calls = family(
    'oriel_calls_total',
    'Calls of tools, and of routes that read files, by how they ended.',
  );
  const bytes = family('oriel_answer_bytes_total', 'Bytes of text, or of a file, in answers.');
  const cuts = family(
    'oriel_truncations_total',
    'Answers that show only a part, by the limit that cut them.',
  );
  const errors = family('oriel_errors_total', 'Answers that are failures, by their code.');
  const times = family('oriel_call_duration_seconds', 'Time from call to answer.', 'histogram');
  const requests = family('oriel_http_requests_total', 'HTTP requests, by route and status.');

  return {
    call(tool, { bytes: size, cutBy, error }, seconds) {
      add(calls, labels({ tool, outcome: error === undefined ? 'ok' : 'error' }));
      add(bytes, labels({ tool }), size);
      if (cutBy !== undefined) add(cuts, labels({ tool, by: cutBy }));
      if (error !== undefined) add(errors, labels({ tool, code: error }));
      for (const bucket of BUCKETS)
        add(times, `_bucket${labels({ tool, le: String(bucket) })}`, Number(seconds <= bucket));
      add(times, `_bucket${labels({ tool, le: '+Inf' })}`);
      add(times, `_sum${labels({ tool })}`, seconds);
      add(times, `_count${labels({ tool })}`);
    },
    request(path, status) {
      add(requests, labels({ route: path, status: String(status) }));
    },
    text: () =>
      [...families, ...queueFamilies()].map(([name, counted]) => familyText(name, counted)).join(''),
  };
}

export function endedWith({ content, details, isError }: Answer): Ended {
  const { by } = Object(details['truncation']) as { by?: string };
  const { code = 'UNKNOWN' } = Object(details['error']) as { code?: string };
  const bytes = content.reduce(
    (sum, block) => sum + (block.type === 'text' ? Buffer.byteLength(block.text) : 0),
    0,
  );
  return { bytes, cutBy: by, ...(isError && { error: code }) };
}

const QUEUE_FAMILIES: readonly [string, Family['type'], string, (queue: Queue) => number][] = [
  ['oriel_queue_limit', 'gauge', 'Slots of a queue.', ({ limit }) => limit],
  ['oriel_queue_running', 'gauge', 'Slots in use.', ({ stats }) => stats.running],
  ['oriel_queue_waiting', 'gauge', 'Entries that wait for a slot.', ({ stats }) => stats.waiting],
  [
    'oriel_queue_running_max',
    'gauge',
    'The most slots in use since the start.',
    ({ stats }) => stats.highest.running,
  ],
  [
    'oriel_queue_waiting_max',
    'gauge',
    'The most entries that waited since the start.',
    ({ stats }) => stats.highest.waiting,
  ],
  [
    'oriel_queue_refused_total',
    'counter',
    'Entries refused because too many waited.',
    ({ stats }) => stats.refused,
  ],
];

/** As they are now, of the whole process. */
function queueFamilies(): [string, Family][] {
  return QUEUE_FAMILIES.map(([name, type, help, value]) => {
    const values = Object.values(queues).map(
      (queue) => [labels({ queue: queue.name }), value(queue)] as const,
    );
    return [name, { help, type, values: new Map(values) }];
  });
}

function add(values: Map<string, number>, key: string, by = 1): void {
  values.set(key, (values.get(key) ?? 0) + by);
}

/** Values are names of our own: tools, codes, routes as declared. */
function labels(pairs: Readonly<Record<string, string>>): string {
  return `{${Object.entries(pairs)
    .map(([name, value]) => `${name}="${value.replaceAll(/["\\\n]/g, '_')}"`)
    .join(',')}}`;
}

function familyText(name: string, { help, type, values }: Family): string {
  const lines = [...values].map(([key, value]) => `${name}${key} ${value}\n`);
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`;
}
