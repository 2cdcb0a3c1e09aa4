/** Parses an event from a line of a file. A line that is not a complete event gives undefined; forged values are bounded. */

import type { CallEvent, ListFacts, NumberSpan, ReadFacts, TelemetryEvent } from '../types/telemetry.ts';
import { MAX_HOST_NAME_CHARACTERS, shortName, taskName } from './call-facts.ts';

const MAX_PARSED_READS = 20;
const MAX_PARSED_SPANS = 16;

/** Maximum characters of a word: a tool, a code, a version. */
const MAX_WORD_CHARACTERS = 80;

/** Larger numbers are invalid. */
const MAX_PARSED_NUMBER = Number.MAX_SAFE_INTEGER;

/** The maximum time of a `Date`. */
const MAX_DATE_MS = 8.64e15;

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
  if (at === undefined || at > MAX_DATE_MS || task === undefined) return undefined;
  const base = { at, task, client: wordIn(json, 'client') };
  if (json['kind'] === 'rate-limit') {
    const by = wordIn(json, 'by', MAX_HOST_NAME_CHARACTERS);
    return { kind: 'rate-limit', ...base, retryAfter: numberIn(json, 'retryAfter'), by };
  }
  return json['kind'] === 'call' ? callOf(json, base) : undefined;
}

function callOf(json: Json, base: Pick<CallEvent, 'at' | 'task' | 'client'>): CallEvent | undefined {
  const [tool, dialect, bytes] = [wordIn(json, 'tool'), wordIn(json, 'dialect'), numberIn(json, 'bytes')];
  if (tool === undefined || dialect === undefined || bytes === undefined) return undefined;
  const reads = listIn(json, 'reads', MAX_PARSED_READS).flatMap((read) => readOf(Object(read) as Json) ?? []);
  return {
    kind: 'call',
    ...base,
    ms: numberIn(json, 'ms') ?? 0,
    dialect,
    tool,
    host: wordIn(json, 'host', MAX_HOST_NAME_CHARACTERS),
    bytes,
    tokens: numberIn(json, 'tokens') ?? Math.ceil(bytes / 4),
    images: numberIn(json, 'images'),
    error: wordIn(json, 'error'),
    reads: reads.length > 0 ? reads : undefined,
    list: json['list'] === undefined ? undefined : listOf(Object(json['list']) as Json),
  };
}

function readOf(json: Json): ReadFacts | undefined {
  const { source } = json;
  if (typeof source !== 'string' || source === '') return undefined;
  return {
    source: shortName(source),
    what: wordIn(json, 'what'),
    version: wordIn(json, 'version'),
    view: wordIn(json, 'view'),
    window: wordIn(json, 'window'),
    lines: spansIn(json, 'lines'),
    bytes: spansIn(json, 'bytes'),
    totalLines: numberIn(json, 'totalLines'),
    totalBytes: numberIn(json, 'totalBytes'),
    cutBy: wordIn(json, 'cutBy'),
    shown: numberIn(json, 'shown'),
  };
}

function listOf(json: Json): ListFacts | undefined {
  const [query, from] = [wordIn(json, 'query'), numberIn(json, 'from')];
  if (query === undefined || from === undefined) return undefined;
  return { query, from, next: numberIn(json, 'next'), cutBy: wordIn(json, 'cutBy') };
}

/** A span of lines is inclusive, so from and to may be equal. */
function spansIn(json: Json, name: string): readonly NumberSpan[] | undefined {
  const spans = listIn(json, name, MAX_PARSED_SPANS).flatMap((span): NumberSpan[] => {
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
  return typeof value === 'number' && value >= 0 && value <= MAX_PARSED_NUMBER ? value : undefined;
}

function wordIn(json: Json, name: string, most = MAX_WORD_CHARACTERS): string | undefined {
  const value = json[name];
  return typeof value === 'string' && value !== '' ? shortName(value, most) : undefined;
}
