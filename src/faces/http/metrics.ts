/** What an operator sees of a server: metrics in the format of Prometheus, and the log. */

import type { Writable } from 'node:stream';
import { queues } from '../../queues/queue-table.ts';
import type { Queue } from '../../queues/queue.ts';
import { quote } from '../../text/visible.ts';
import type { Answer } from '../../types/answer.ts';
import type { KindStats } from '../../types/session.ts';
import type { StateStats } from '../../types/state.ts';
import type { TelemetryEvent } from '../../types/telemetry.ts';
import type { WorkspaceReport } from '../client/fleet.ts';
import { outbox } from '../outbox.ts';
import { connections } from './exchange.ts';
import { inbox } from './request-body.ts';

// The metrics that are counted: calls, requests, connections.

/** Upper bounds in seconds. */
const BUCKETS = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 60];

interface CallOutcome {
  /** Bytes of the text of its answer. */
  readonly bytes: number;
  /** The error code of a failure. */
  readonly error?: string | undefined;
}

export interface ServerMetrics {
  call(tool: string, ended: CallOutcome, seconds: number): void;
  /** Counts an event of telemetry: the limits that cut the answer, and whether the call followed a notice. */
  recorded(event: TelemetryEvent, followed: boolean): void;
  request(route: string, status: number): void;
  /** Prometheus text, version 0.0.4. */
  text(): string;
}

/** `measure` returns the gauges; it is called when the metrics are requested. */
export function createMetrics(measure: () => GaugedServer): ServerMetrics {
  const families = new Map<string, MetricFamily>();
  const family = (name: string, help: string): Map<string, number> => {
    const values = new Map<string, number>();
    families.set(name, { help, type: 'counter', values });
    return values;
  };
  const calls = family(
    'oriel_calls_total',
    'Calls of tools, and of routes that read files, by how they ended.',
  );
  const tokens = family(
    'oriel_answer_tokens_total',
    'Tokens of text in answers, estimated: four bytes each.',
  );
  const continued = family('oriel_continuations_total', 'Calls that went on where a notice had said.');
  const limits = family(
    'oriel_rate_limits_total',
    'Refusals by providers of models that hosts have reported.',
  );
  const bytes = family('oriel_answer_bytes_total', 'Bytes of text, or of a file, in answers.');
  const cuts = family(
    'oriel_truncations_total',
    'Answers that show only a part, by the limit that cut them.',
  );
  const errors = family('oriel_errors_total', 'Answers that are failures, by their code.');
  const times = new Map<string, Times>();
  const requests = family('oriel_http_requests_total', 'HTTP requests, by route and status.');

  return {
    call(tool, { bytes: size, error }, seconds) {
      add(calls, labels({ tool, outcome: error === undefined ? 'ok' : 'error' }));
      add(bytes, labels({ tool }), size);
      add(tokens, labels({ tool }), Math.ceil(size / 4));
      if (error !== undefined) add(errors, labels({ tool, code: error }));
      let time = times.get(tool);
      if (!time) times.set(tool, (time = { within: BUCKETS.map(() => 0), sum: 0, count: 0 }));
      const { within } = time;
      for (const [i, bucket] of BUCKETS.entries()) within[i] = (within[i] ?? 0) + Number(seconds <= bucket);
      time.sum += seconds;
      time.count += 1;
    },
    recorded(event, followed) {
      if (event.kind === 'rate-limit') {
        add(limits, '');
        return;
      }
      const { tool } = event;
      if (followed) add(continued, labels({ tool }));
      // From the event, because details differ between dialects.
      const by = [...(event.reads ?? []).map(({ cutBy }) => cutBy), event.list?.cutBy];
      for (const one of new Set(by)) if (one !== undefined) add(cuts, labels({ tool, by: one }));
    },
    request(path, status) {
      add(requests, labels({ route: path, status: String(status) }));
    },
    text: () =>
      [...families, ['oriel_call_duration_seconds', timesFamily(times)] as const, ...gauges(measure())]
        .map(([name, counted]) => familyText(name, counted))
        .join(''),
  };
}

interface Times {
  /** By bucket: number of calls that took at most this long. */
  readonly within: number[];
  sum: number;
  count: number;
}

function timesFamily(times: ReadonlyMap<string, Times>): MetricFamily {
  const values = new Map<string, number>();
  for (const [tool, { within, sum, count }] of times) {
    for (const [i, bucket] of BUCKETS.entries())
      values.set(`_bucket${labels({ tool, le: String(bucket) })}`, within[i] ?? 0);
    values.set(`_bucket${labels({ tool, le: '+Inf' })}`, count);
    values.set(`_sum${labels({ tool })}`, sum);
    values.set(`_count${labels({ tool })}`, count);
  }
  return { help: 'Time from call to answer.', type: 'histogram', values };
}

export function outcomeOfAnswer({ content, details, isError }: Answer): CallOutcome {
  const { code = 'UNKNOWN' } = Object(details['error']) as { code?: string | undefined };
  const bytes = content.reduce(
    (sum, block) => sum + (block.type === 'text' ? Buffer.byteLength(block.text) : 0),
    0,
  );
  return { bytes, error: isError ? code : undefined };
}

/** Maximum series of a family. Labels are only names that oriel defines. */
const MAX_FAMILY_SERIES = 1_000;

function add(values: Map<string, number>, key: string, by = 1): void {
  if (values.size >= MAX_FAMILY_SERIES && !values.has(key)) return;
  values.set(key, (values.get(key) ?? 0) + by);
}

// Metrics that are measured when they are requested: queues, unsent bytes, caches, the shared store, workspaces.

type Families = (readonly [string, MetricFamily])[];

/** The figures of one server; the others are of the whole process. */
interface GaugedServer {
  /** The store of derived data, by kind. */
  readonly store: ReadonlyMap<string, KindStats>;
  /** Lookups in the cache on disk. */
  readonly disk?: { readonly hits: number; readonly misses: number } | undefined;
  /** The store that replicas share. */
  readonly state?: StateStats | undefined;
  /** Remote workspaces. */
  readonly fleet?: readonly WorkspaceReport[] | undefined;
  /** Number of kept outputs, and their bytes. */
  readonly spills?: { readonly outputs: number; readonly bytes: number } | undefined;
}

function gauges({ store, disk, spills, state, fleet = [] }: GaugedServer): Families {
  const asked = fleet.filter(({ requests, away }) => requests > 0 || away !== undefined);
  return [
    ...families(PROCESS, [[{}, process.memoryUsage()]]),
    ...(spills ? families(SPILLS, [[{}, spills]]) : []),
    ...families(
      STORE,
      Array.from(store, ([kind, stats]) => [{ kind }, stats]),
    ),
    ...(state ? stateFamilies(state) : []),
    ...families(
      FLEET,
      asked.slice(0, MAX_WORKSPACE_SERIES).map((report) => [{ workspace: report.name }, report]),
    ),
    ...(disk ? families(DISK, [[{}, disk]]) : []),
    ...families(
      QUEUES,
      Object.values(queues).map((queue) => [{ queue: queue.name }, queue]),
    ),
  ];
}

type Labels = Readonly<Record<string, string>>;

/** A metric of a source: its name, type, help, and value, or its values with their labels. */
type GaugeRow<T> = readonly [
  name: string,
  type: MetricFamily['type'],
  help: string,
  read: (source: T) => number | readonly (readonly [Labels, number])[],
];

/** The metrics of all sources, each with its labels; none without a source. */
function families<T>(rows: readonly GaugeRow<T>[], sources: readonly (readonly [Labels, T])[]): Families {
  if (sources.length === 0) return [];
  return rows.map(([name, type, help, read]) => {
    const values = sources.flatMap(([own, source]) => {
      const value = read(source);
      const all = typeof value === 'number' ? [[{}, value] as const] : value;
      return all.map(([more, one]) => [labels({ ...own, ...more }), one] as const);
    });
    return [name, { help, type, values: new Map(values) }];
  });
}

const cpuSeconds = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};

const PROCESS: readonly GaugeRow<NodeJS.MemoryUsage>[] = [
  ['process_resident_memory_bytes', 'gauge', 'Resident memory of the process.', ({ rss }) => rss],
  ['oriel_heap_bytes', 'gauge', 'Heap of JavaScript that is in use.', ({ heapUsed }) => heapUsed],
  ['oriel_external_bytes', 'gauge', 'Memory of buffers and the like.', ({ external }) => external],
  ['process_cpu_seconds_total', 'counter', 'Processor time of the process.', cpuSeconds],
  ['oriel_unsent_bytes', 'gauge', 'Bytes that clients have not taken yet.', () => outbox.unsent],
  ['oriel_body_bytes', 'gauge', 'Bytes of bodies that are not answered yet.', () => inbox.bytes],
  ['oriel_bodies_refused_total', 'counter', 'Bodies refused because of others.', () => inbox.refused],
  ['oriel_connections', 'gauge', 'Connections that are open.', () => connections.open],
  [
    'oriel_connections_refused_total',
    'counter',
    'Connections that were one too many of their address.',
    () => connections.refused,
  ],
  ['oriel_peers_ended_total', 'counter', 'Clients ended because they did not read.', () => outbox.ended],
];

const SPILLS: readonly GaugeRow<NonNullable<GaugedServer['spills']>>[] = [
  ['oriel_spills', 'gauge', 'Outputs that are kept.', ({ outputs }) => outputs],
  ['oriel_spill_bytes', 'gauge', 'Bytes on disk that they take.', ({ bytes }) => bytes],
];

const DISK: readonly GaugeRow<NonNullable<GaugedServer['disk']>>[] = [
  [
    'oriel_disk_cache_lookups_total',
    'counter',
    'Lookups in the cache on disk.',
    ({ hits, misses }) => [
      [{ result: 'hit' }, hits],
      [{ result: 'miss' }, misses],
    ],
  ],
];

const STATE: readonly GaugeRow<StateStats>[] = [
  ['oriel_state_up', 'gauge', 'Whether the store that replicas share answers.', ({ up }) => Number(up)],
  ['oriel_state_outages_total', 'counter', 'Times that it stopped answering.', ({ outages }) => outages],
  [
    'oriel_state_operations_total',
    'counter',
    'Uses of the shared store, by how they ended.',
    ({ operations }) =>
      [...operations].flatMap(([operation, counts]) =>
        Object.entries(counts).map(([result, count]) => [{ operation, result }, count] as const),
      ),
  ],
  [
    'oriel_state_bytes_total',
    'counter',
    'Bytes of values from and to the shared store.',
    ({ bytesRead, bytesWritten }) => [
      [{ direction: 'read' }, bytesRead],
      [{ direction: 'written' }, bytesWritten],
    ],
  ],
];

export function stateFamilies(stats: StateStats): Families {
  return families(STATE, [[{}, stats]]);
}

/** Maximum workspaces with series of their own: those with requests, in the configured order. */
const MAX_WORKSPACE_SERIES = 500;

const FLEET: readonly GaugeRow<WorkspaceReport>[] = [
  ['oriel_workspace_requests_total', 'counter', 'Requests to a workspace.', ({ requests }) => requests],
  ['oriel_workspace_failures_total', 'counter', 'Requests without an answer.', ({ failed }) => failed],
  ['oriel_workspace_answers_total', 'counter', 'Answers of a workspace.', ({ answered }) => answered],
  [
    'oriel_workspace_answer_seconds_total',
    'counter',
    'Time until the headers of these answers came.',
    ({ answered, meanMs }) => (answered * meanMs) / 1000,
  ],
  ['oriel_workspace_bytes_total', 'counter', 'Bytes of these answers, unpacked.', ({ bytes }) => bytes],
  ['oriel_workspace_running', 'gauge', 'Requests under way.', ({ running }) => running],
  ['oriel_workspace_waiting', 'gauge', 'Requests that wait for a slot.', ({ waiting }) => waiting],
  ['oriel_workspace_away', 'gauge', 'Whether it is not asked at the moment.', ({ away }) => Number(!!away)],
];

const STORE: readonly GaugeRow<KindStats>[] = [
  [
    'oriel_store_lookups_total',
    'counter',
    'Derived things asked for: kept already, made, or being made for another call.',
    ({ hits, misses, joined }) => [
      [{ result: 'hit' }, hits],
      [{ result: 'miss' }, misses],
      [{ result: 'joined' }, joined],
    ],
  ],
  [
    'oriel_store_evictions_total',
    'counter',
    'Derived things that made room for others.',
    ({ evictions }) => evictions,
  ],
  ['oriel_store_entries', 'gauge', 'Derived things that are kept.', ({ entries }) => entries],
  [
    'oriel_store_bytes',
    'gauge',
    'Bytes that they take.',
    ({ weight }) => [
      [{ in: 'memory' }, weight.memory],
      [{ in: 'disk' }, weight.disk],
    ],
  ],
  ['oriel_store_descriptors', 'gauge', 'Descriptors that they hold.', ({ weight }) => weight.descriptors],
];

const QUEUES: readonly GaugeRow<Queue>[] = [
  ['oriel_queue_limit', 'gauge', 'Slots of a queue.', ({ limit }) => limit],
  ['oriel_queue_running', 'gauge', 'Slots in use.', ({ stats }) => stats.running],
  ['oriel_queue_waiting', 'gauge', 'Entries that wait for a slot.', ({ stats }) => stats.waiting],
  [
    'oriel_queue_refused_total',
    'counter',
    'Entries refused because too many waited.',
    ({ stats }) => stats.refused,
  ],
];

// Formats metrics for Prometheus: text format, version 0.0.4.

export interface MetricFamily {
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** By labels, in the text format. */
  readonly values: ReadonlyMap<string, number>;
}

/** Formats labels. Values are names that oriel defines: tools, codes, routes. */
export function labels(pairs: Labels): string {
  const all = Object.entries(pairs).map(([name, value]) => `${name}="${value.replaceAll(/["\\\n]/g, '_')}"`);
  return all.length === 0 ? '' : `{${all.join(',')}}`;
}

export function familyText(name: string, { help, type, values }: MetricFamily): string {
  const lines = [...values].map(([key, value]) => `${name}${key} ${value}\n`);
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`;
}

// The log: a JSON object on each line, or plain text on a terminal. It contains paths of callers, but no secrets.

export interface ServerLog {
  (event: string, facts?: Readonly<Record<string, unknown>>): void;
  flush(): void;
}

/** Maximum unwritten bytes; above that, lines are dropped and counted. */
const UNREAD_BYTES = 1 << 20;

/** Lines are written in batches, because a write for each would cost as much as a small read. */
export function createLog(
  out: Writable & { readonly isTTY?: boolean | undefined },
  now: () => number = Date.now,
): ServerLog {
  const write = out.isTTY ? asText : asJson;
  let lines = '';
  /** Whether a line was just written: following lines are collected. */
  let wrote = false;
  let dropped = 0;
  const line = (event: string, facts: Readonly<Record<string, unknown>>): string => {
    const safe: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(facts))
      safe[name] = typeof value === 'string' ? quote(value) : value;
    return `${write(new Date(now()).toISOString(), event, safe)}\n`;
  };
  const flush = (): void => {
    wrote = false;
    if (lines !== '') out.write(lines);
    lines = '';
  };
  const log = (event: string, facts: Readonly<Record<string, unknown>> = {}): void => {
    if (out.writableLength > UNREAD_BYTES) {
      dropped += 1;
      return;
    }
    if (dropped > 0) lines += line('dropped', { lines: dropped });
    dropped = 0;
    lines += line(event, facts);
    if (wrote) return;
    flush();
    wrote = true;
    setImmediate(flush);
  };
  return Object.assign(log, { flush });
}

type Facts = Readonly<Record<string, unknown>>;

function asJson(time: string, event: string, facts: Facts): string {
  return JSON.stringify({ time, event, ...facts });
}

/** `12:34:56 listening address=127.0.0.1:7345` */
function asText(time: string, event: string, facts: Facts): string {
  const pairs = Object.entries(facts).map(([name, value]) => `${name}=${String(value)}`);
  return [time.slice(11, 19), event, ...pairs].join(' ');
}
