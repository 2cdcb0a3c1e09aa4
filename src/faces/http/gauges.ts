/** Metrics that are measured when they are requested: queues, unsent bytes, caches, the shared store, workspaces. */

import type { Queue } from '../../queues/queue.ts';
import { queues } from '../../queues/queue-table.ts';
import type { StateStats } from '../../types/state.ts';
import type { KindStats } from '../../types/store.ts';
import type { WorkspaceReport } from '../client/fleet.ts';
import { outbox } from '../outbox.ts';
import { connections } from './connections.ts';
import { inbox } from './inbox.ts';
import { type Family, labels } from './prometheus.ts';

type Families = (readonly [string, Family])[];

/** The figures of one server; the others are of the whole process. */
export interface Gauged {
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

export function gauges({ store, disk, spills, state, fleet }: Gauged): Families {
  return [
    ...processFamilies(),
    ...peerFamilies(),
    ...(spills ? spillFamilies(spills) : []),
    ...storeFamilies(store),
    ...(state ? stateFamilies(state) : []),
    ...(fleet ? fleetFamilies(fleet) : []),
    ...(disk ? [diskFamily(disk)] : []),
    ...queueFamilies(),
  ];
}

function one(help: string, type: Family['type'], value: number): Family {
  return { help, type, values: new Map([['', value]]) };
}

function processFamilies(): Families {
  const { rss, heapUsed, external } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  return [
    ['process_resident_memory_bytes', one('Resident memory of the process.', 'gauge', rss)],
    ['oriel_heap_bytes', one('Heap of JavaScript that is in use.', 'gauge', heapUsed)],
    ['oriel_external_bytes', one('Memory of buffers and the like.', 'gauge', external)],
    ['process_cpu_seconds_total', one('Processor time of the process.', 'counter', (user + system) / 1e6)],
  ];
}

function spillFamilies({ outputs, bytes }: NonNullable<Gauged['spills']>): Families {
  return [
    ['oriel_spills', one('Outputs that are kept.', 'gauge', outputs)],
    ['oriel_spill_bytes', one('Bytes on disk that they take.', 'gauge', bytes)],
  ];
}

function diskFamily({ hits, misses }: NonNullable<Gauged['disk']>): Families[number] {
  const values = new Map([
    [labels({ result: 'hit' }), hits],
    [labels({ result: 'miss' }), misses],
  ]);
  return [
    'oriel_disk_cache_lookups_total',
    { help: 'Lookups in the cache on disk.', type: 'counter', values },
  ];
}

export function stateFamilies({ up, outages, operations, bytesRead, bytesWritten }: StateStats): Families {
  const results = [...operations].flatMap(([operation, counts]) =>
    Object.entries(counts).map(([result, count]) => [labels({ operation, result }), count] as const),
  );
  const bytes = [
    [labels({ direction: 'read' }), bytesRead],
    [labels({ direction: 'written' }), bytesWritten],
  ] as const;
  return [
    ['oriel_state_up', one('Whether the store that replicas share answers.', 'gauge', Number(up))],
    ['oriel_state_outages_total', one('Times that it stopped answering.', 'counter', outages)],
    [
      'oriel_state_operations_total',
      { help: 'Uses of the shared store, by how they ended.', type: 'counter', values: new Map(results) },
    ],
    [
      'oriel_state_bytes_total',
      { help: 'Bytes of values from and to the shared store.', type: 'counter', values: new Map(bytes) },
    ],
  ];
}

/** Maximum workspaces with series of their own: those with requests, in the configured order. */
const MOST_WORKSPACES = 500;

const FLEET_FAMILIES: readonly [string, Family['type'], string, (report: WorkspaceReport) => number][] = [
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

function fleetFamilies(reports: readonly WorkspaceReport[]): Families {
  const asked = reports.filter(({ requests, away }) => requests > 0 || away !== undefined);
  const shown = asked.slice(0, MOST_WORKSPACES);
  return FLEET_FAMILIES.map(([name, type, help, value]) => {
    const values = shown.map((report) => [labels({ workspace: report.name }), value(report)] as const);
    return [name, { help, type, values: new Map(values) }];
  });
}

function peerFamilies(): Families {
  return [
    ['oriel_unsent_bytes', one('Bytes that clients have not taken yet.', 'gauge', outbox.unsent)],
    ['oriel_body_bytes', one('Bytes of bodies that are not answered yet.', 'gauge', inbox.bytes)],
    ['oriel_bodies_refused_total', one('Bodies refused because of others.', 'counter', inbox.refused)],
    ['oriel_connections', one('Connections that are open.', 'gauge', connections.open)],
    [
      'oriel_connections_refused_total',
      one('Connections that were one too many of their address.', 'counter', connections.refused),
    ],
    ['oriel_peers_ended_total', one('Clients ended because they did not read.', 'counter', outbox.ended)],
  ];
}

const STORE_FAMILIES: readonly [string, Family['type'], string, (stats: KindStats) => [object, number][]][] =
  [
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
      ({ evictions }) => [[{}, evictions]],
    ],
    ['oriel_store_entries', 'gauge', 'Derived things that are kept.', ({ entries }) => [[{}, entries]]],
    [
      'oriel_store_bytes',
      'gauge',
      'Bytes that they take.',
      ({ weight }) => [
        [{ in: 'memory' }, weight.memory],
        [{ in: 'disk' }, weight.disk],
      ],
    ],
    [
      'oriel_store_descriptors',
      'gauge',
      'Descriptors that they hold.',
      ({ weight }) => [[{}, weight.descriptors]],
    ],
  ];

function storeFamilies(stats: ReadonlyMap<string, KindStats>): Families {
  return STORE_FAMILIES.map(([name, type, help, values]) => {
    const rows = [...stats].flatMap(([kind, of]) =>
      values(of).map(([more, value]) => [labels({ kind, ...more }), value] as const),
    );
    return [name, { help, type, values: new Map(rows) }];
  });
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

function queueFamilies(): Families {
  return QUEUE_FAMILIES.map(([name, type, help, value]) => {
    const values = Object.values(queues).map(
      (queue) => [labels({ queue: queue.name }), value(queue)] as const,
    );
    return [name, { help, type, values: new Map(values) }];
  });
}
