/**
 * Parses an event from a line of a file. A line that is not a complete event gives undefined; forged values are bounded.
 */

import type { CallEvent, ListFacts, ReadFacts, Span, TelemetryEvent } from '../types/telemetry.ts';
import { MOST_HOST, shortName, taskName } from './safe-names.ts';

const MOST_READS = 20;
const MOST_SPANS = 16;

/** Maximum characters of a word: a tool, a code, a version. */
const MOST_WORD = 80;

/** Larger numbers are invalid. */
const MOST_NUMBER = Number.MAX_SAFE_INTEGER;

/** The maximum time of a `Date`. */
const MOST_TIME = 8.64e15;

type Json = Readonly<Record<string, unknown>>;

export function parseEvent(line: string): TelemetryEvent | undefined {
  let json: Json;
  try {
    json = Object(JSON.parse(line)) as Json;
  } catch {
    return undefined;
  }
  const at = numberIn(json, 'at');
  const task = taskName(json['task']);
  if (at === undefined || at > MOST_TIME || task === undefined) return undefined;
  const base = { at, task, ...word(json, 'client') };
  if (json['kind'] === 'rate-limit') {
    return { kind: 'rate-limit', ...base, ...number(json, 'retryAfter'), ...word(json, 'by', MOST_HOST) };
  }
  return json['kind'] === 'call' ? callOf(json, base) : undefined;
}

function callOf(json: Json, base: Pick<CallEvent, 'at' | 'task'>): CallEvent | undefined {
  const { tool, dialect } = { ...word(json, 'tool'), ...word(json, 'dialect') };
  const bytes = numberIn(json, 'bytes');
  if (tool === undefined || dialect === undefined || bytes === undefined) return undefined;
  const reads = listIn(json, 'reads', MOST_READS).flatMap((read) => readOf(Object(read) as Json) ?? []);
  const list = json['list'] === undefined ? undefined : listOf(Object(json['list']) as Json);
  return {
    kind: 'call',
    ...base,
    ms: numberIn(json, 'ms') ?? 0,
    dialect,
    tool,
    ...word(json, 'host', MOST_HOST),
    bytes,
    tokens: numberIn(json, 'tokens') ?? Math.ceil(bytes / 4),
    ...number(json, 'images'),
    ...word(json, 'error'),
    ...(reads.length > 0 && { reads }),
    ...(list && { list }),
  };
}

function readOf(json: Json): ReadFacts | undefined {
  const { source } = json;
  if (typeof source !== 'string' || source === '') return undefined;
  // A span of lines is inclusive, so from and to may be equal.
  const [lines, bytes] = [spansIn(json, 'lines'), spansIn(json, 'bytes')];
  return {
    source: shortName(source),
    ...word(json, 'what'),
    ...word(json, 'version'),
    ...word(json, 'view'),
    ...word(json, 'window'),
    ...(lines && { lines }),
    ...(bytes && { bytes }),
    ...number(json, 'totalLines'),
    ...number(json, 'totalBytes'),
    ...word(json, 'cutBy'),
    ...number(json, 'shown'),
  };
}

function listOf(json: Json): ListFacts | undefined {
  const { query } = word(json, 'query');
  const from = numberIn(json, 'from');
  if (query === undefined || from === undefined) return undefined;
  return { query, from, ...number(json, 'next'), ...word(json, 'cutBy') };
}

function spansIn(json: Json, name: string): readonly Span[] | undefined {
  const spans = listIn(json, name, MOST_SPANS).flatMap((span): Span[] => {
    const [from, to] = Array.isArray(span) ? (span as unknown[]) : [];
    return isCount(from) && isCount(to) && from <= to ? [[from, to]] : [];
  });
  return spans.length === 0 ? undefined : spans;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function listIn(json: Json, name: string, most: number): readonly unknown[] {
  const list = json[name];
  return Array.isArray(list) ? list.slice(0, most) : [];
}

function numberIn(json: Json, name: string): number | undefined {
  const value = json[name];
  return typeof value === 'number' && value >= 0 && value <= MOST_NUMBER ? value : undefined;
}

function number<N extends string>(json: Json, name: N): { readonly [K in N]?: number } {
  const value = numberIn(json, name);
  return (value === undefined ? {} : { [name]: value }) as { readonly [K in N]?: number };
}

function word<N extends string>(json: Json, name: N, most = MOST_WORD): { readonly [K in N]?: string } {
  const value = json[name];
  return (typeof value === 'string' && value !== '' ? { [name]: shortName(value, most) } : {}) as {
    readonly [K in N]?: string;
  };
}
