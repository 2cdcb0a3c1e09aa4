/** The metrics of calls, requests and queues in the format of Prometheus. */

import type { Answer } from '../../types/answer.ts';
import type { CallEvent, TelemetryEvent } from '../../types/telemetry.ts';
import { type Gauged, gauges } from './gauges.ts';
import { type Family, familyText, labels } from './prometheus.ts';

/** Upper bounds of the buckets in seconds. */
const BUCKETS = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 60];

/** The outcome of a call. */
export interface Ended {
  /** Bytes of the text of its answer. */
  readonly bytes: number;
  /** The error code of a failure. */
  readonly error?: string | undefined;
}

export interface Metrics {
  call(tool: string, ended: Ended, seconds: number): void;
  /** Counts an event of telemetry: the limits that cut the answer, and whether the call followed a notice. */
  recorded(event: TelemetryEvent, followed: boolean): void;
  request(route: string, status: number): void;
  /** Prometheus text, version 0.0.4. */
  text(): string;
}

/** `measure` returns the gauges; it is called when the metrics are requested. */
export function createMetrics(measure: () => Gauged): Metrics {
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
      for (const by of cutsOf(event)) add(cuts, labels({ tool, by }));
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

/** The durations of the calls of a tool. */
interface Times {
  /** By bucket: number of calls that took at most this long. */
  readonly within: number[];
  sum: number;
  count: number;
}

function timesFamily(times: ReadonlyMap<string, Times>): Family {
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

export function endedWith({ content, details, isError }: Answer): Ended {
  const { code = 'UNKNOWN' } = Object(details['error']) as { code?: string };
  const bytes = content.reduce(
    (sum, block) => sum + (block.type === 'text' ? Buffer.byteLength(block.text) : 0),
    0,
  );
  return { bytes, ...(isError && { error: code }) };
}

/** The limits that cut the answer, without duplicates. From the event, because details differ between dialects. */
function cutsOf({ reads = [], list }: CallEvent): ReadonlySet<string> {
  const all = [...reads.map(({ cutBy }) => cutBy), list?.cutBy];
  return new Set(all.filter((by) => by !== undefined));
}

/** Maximum series of a family. Labels are only names that oriel defines. */
const MOST_SERIES = 1_000;

function add(values: Map<string, number>, key: string, by = 1): void {
  if (values.size >= MOST_SERIES && !values.has(key)) return;
  values.set(key, (values.get(key) ?? 0) + by);
}
