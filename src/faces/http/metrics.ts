/** Owns what is counted about calls and requests, and how Prometheus reads it. */

import type { Answer } from '../../types/answer.ts';

/** Seconds. */
const BUCKETS = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 60];

interface Family {
  readonly help: string;
  readonly type: 'counter' | 'histogram';
  /** By labels, as they stand in the text. */
  readonly values: Map<string, number>;
}

export interface Metrics {
  call(tool: string, answer: Answer, seconds: number): void;
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
  const calls = family('oriel_calls_total', 'Calls of tools, by how they ended.');
  const bytes = family('oriel_answer_bytes_total', 'Bytes of text in answers.');
  const cuts = family(
    'oriel_truncations_total',
    'Answers that show only a part, by the limit that cut them.',
  );
  const errors = family('oriel_errors_total', 'Answers that are failures, by their code.');
  const times = family('oriel_call_duration_seconds', 'Time from call to answer.', 'histogram');
  const requests = family('oriel_http_requests_total', 'HTTP requests, by route and status.');

  return {
    call(tool, { content, details, isError }, seconds) {
      add(calls, labels({ tool, outcome: isError ? 'error' : 'ok' }));
      const size = content.reduce(
        (sum, block) => sum + (block.type === 'text' ? Buffer.byteLength(block.text) : 0),
        0,
      );
      add(bytes, labels({ tool }), size);
      const { by } = Object(details['truncation']) as { by?: string };
      if (by !== undefined) add(cuts, labels({ tool, by }));
      const { code } = Object(details['error']) as { code?: string };
      if (isError) add(errors, labels({ tool, code: code ?? 'UNKNOWN' }));
      for (const bucket of BUCKETS)
        add(times, `_bucket${labels({ tool, le: String(bucket) })}`, Number(seconds <= bucket));
      add(times, `_bucket${labels({ tool, le: '+Inf' })}`);
      add(times, `_sum${labels({ tool })}`, seconds);
      add(times, `_count${labels({ tool })}`);
    },
    request(path, status) {
      add(requests, labels({ route: path, status: String(status) }));
    },
    text: () => [...families].map(([name, counted]) => familyText(name, counted)).join(''),
  };
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
