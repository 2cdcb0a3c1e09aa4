/** Serialises an event as one line of JSON: the same bytes as `safeJson` gives. */

import { safeJson } from '../text/visible.ts';
import type { CallEvent, ListFacts, NumberSpan, ReadFacts, TelemetryEvent } from '../types/telemetry.ts';
import { MAX_HOST_NAME_CHARACTERS, shortName, taskName } from './call-facts.ts';

type Write<V> = (line: LineBuffer, value: V) => void;

/** How each field is written, in the order in which they are written. A missing field does not compile. */
type Writers<T> = { readonly [K in keyof T]-?: Write<NonNullable<T[K]>> };

interface Field<T> {
  readonly name: keyof T;
  /** What is before the value: `,"ms":`. */
  readonly key: Uint8Array;
  readonly write: Write<unknown>;
}

const ascii = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'latin1'));

const NEWLINE = ascii('\n');
const COMMA = ascii(',');
const END = ascii('}');
const BEGIN_LIST = ascii('[');
const END_LIST = ascii(']');

const name: Write<string> = (line, value) => line.name(value);

const writeNumber: Write<number> = (line, value) => line.number(value);

/** `source` comes first, as it is never absent. */
const READ_FIELDS = fieldsOf<Omit<ReadFacts, 'source'>>({
  what: name,
  version: name,
  view: name,
  window: name,
  lines: writeSpans,
  bytes: writeSpans,
  totalLines: writeNumber,
  totalBytes: writeNumber,
  cutBy: name,
  shown: writeNumber,
});

const SOURCE = ascii('{"source":');

/** In the order of `eventOfCall`. Without `list`: an event with a list is written by `safeJson`. */
const CALL_FIELDS = fieldsOf<Omit<CallEvent, 'kind' | 'list'>>({
  task: name,
  client: name,
  at: writeNumber,
  ms: writeNumber,
  dialect: name,
  tool: name,
  host: name,
  bytes: writeNumber,
  tokens: writeNumber,
  images: writeNumber,
  error: name,
  reads: writeReads,
});

const CALL = ascii('{"kind":"call"');

export function writeEvent(line: LineBuffer, event: TelemetryEvent): void {
  if (event.kind === 'call' && event.list === undefined) {
    line.put(CALL);
    writeFields(line, CALL_FIELDS, event);
    line.put(END);
  } else line.json(event);
  line.put(NEWLINE);
}

function fieldsOf<T>(writers: Writers<T>): readonly Field<T>[] {
  return (Object.keys(writers) as (keyof T & string)[]).map((field) => ({
    name: field,
    key: ascii(`,"${field}":`),
    write: writers[field] as Write<unknown>,
  }));
}

function writeFields<T>(line: LineBuffer, fields: readonly Field<T>[], of: T): void {
  for (let i = 0; i < fields.length; i += 1) {
    const { name, key, write } = fields[i] as Field<T>;
    const value = of[name];
    if (value === undefined || value === null) continue;
    line.put(key);
    write(line, value);
  }
}

function writeReads(line: LineBuffer, reads: readonly ReadFacts[]): void {
  line.put(BEGIN_LIST);
  for (let i = 0; i < reads.length; i += 1) {
    const read = reads[i] as ReadFacts;
    if (i > 0) line.put(COMMA);
    line.put(SOURCE);
    line.name(read.source);
    writeFields(line, READ_FIELDS, read);
    line.put(END);
  }
  line.put(END_LIST);
}

function writeSpans(line: LineBuffer, spans: readonly NumberSpan[]): void {
  line.put(BEGIN_LIST);
  for (let i = 0; i < spans.length; i += 1) {
    const [from, to] = spans[i] as NumberSpan;
    if (i > 0) line.put(COMMA);
    line.put(BEGIN_LIST);
    line.number(from);
    line.put(COMMA);
    line.number(to);
    line.put(END_LIST);
  }
  line.put(END_LIST);
}

// Builds JSON as bytes, piece by piece: for a small event this takes a fifth of the time of `JSON.stringify`.

/** The first capacity in bytes; it doubles when needed. */
const INITIAL_LINE_BUFFER_BYTES = 64 << 10;

/** The most capacity, in bytes, that is kept when the content is taken. */
const MAX_KEPT_BUFFER_BYTES = 1 << 20;

/** The most names whose JSON is cached. */
const MAX_CACHED_NAMES = 1_024;

/** The most characters of a cached name. */
const MAX_CACHED_NAME_LENGTH = 512;

/** For fewer bytes than this a loop is faster than `set`. */
const SHORT = 48;

const [ZERO, POINT] = [0x30, 0x2e];

export class LineBuffer {
  #bytes = Buffer.allocUnsafe(INITIAL_LINE_BUFFER_BYTES);
  #length = 0;
  readonly #names = new Map<string, Uint8Array>();

  get length(): number {
    return this.#length;
  }

  /** Truncates the buffer to `length` bytes. */
  cut(length: number): void {
    this.#length = length;
  }

  /** Returns a copy of the content and empties the buffer. */
  take(): Buffer {
    const taken = Buffer.from(this.#bytes.subarray(0, this.#length));
    this.#length = 0;
    if (this.#bytes.length > MAX_KEPT_BUFFER_BYTES)
      this.#bytes = Buffer.allocUnsafe(INITIAL_LINE_BUFFER_BYTES);
    return taken;
  }

  put(piece: Uint8Array): void {
    const { length } = piece;
    this.#ensure(length);
    const bytes = this.#bytes;
    const at = this.#length;
    if (length < SHORT) for (let i = 0; i < length; i += 1) bytes[at + i] = piece[i] as number;
    else bytes.set(piece, at);
    this.#length = at + length;
  }

  /** Appends a string as `safeJson` writes it, and caches its JSON. */
  name(name: string): void {
    const known = this.#names.get(name);
    if (known) {
      this.put(known);
      return;
    }
    const written = Buffer.from(safeJson(name));
    if (name.length <= MAX_CACHED_NAME_LENGTH) {
      if (this.#names.size >= MAX_CACHED_NAMES) this.#names.clear();
      this.#names.set(name, written);
    }
    this.put(written);
  }

  /** Appends a number as `JSON.stringify` writes it. */
  number(number: number): void {
    if (Number.isInteger(number) && number >= 0 && number < 1e15) {
      this.#ensure(16);
      this.#digits(number);
      return;
    }
    const thousandths = Math.round(number * 1_000);
    // Fast path for up to three decimals, the precision of recorded milliseconds.
    if (thousandths / 1_000 === number && number >= 0 && number < 1e6) this.#decimal(thousandths);
    else this.json(number);
  }

  /** Appends any value as `safeJson` writes it. */
  json(value: unknown): void {
    this.put(Buffer.from(safeJson(value)));
  }

  #decimal(thousandths: number): void {
    this.#ensure(16);
    const whole = Math.floor(thousandths / 1_000);
    this.#digits(whole);
    this.#bytes[this.#length] = POINT;
    this.#length += 1;
    let rest = thousandths - 1_000 * whole;
    for (let unit = 100; rest > 0; unit /= 10) {
      const digit = Math.floor(rest / unit);
      this.#bytes[this.#length] = ZERO + digit;
      this.#length += 1;
      rest -= digit * unit;
    }
  }

  /** The caller must have ensured the capacity. */
  #digits(number: number): void {
    let count = 1;
    for (let power = 10; power <= number; power *= 10) count += 1;
    const end = this.#length + count;
    this.#length = end;
    if (number < 1e9) {
      this.#digitsBefore(end, number, count);
      return;
    }
    // Both halves fit into 32 bits, for which integer division is cheap.
    const high = Math.floor(number / 1e6);
    this.#digitsBefore(end, number - high * 1e6, 6);
    this.#digitsBefore(end - 6, high, count - 6);
  }

  #digitsBefore(end: number, number: number, count: number): void {
    let rest = number;
    for (let at = end - 1; at >= end - count; at -= 1) {
      const tenth = (rest / 10) | 0;
      this.#bytes[at] = ZERO + rest - 10 * tenth;
      rest = tenth;
    }
  }

  #ensure(more: number): void {
    const needed = this.#length + more;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(needed, 2 * this.#bytes.length));
    larger.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = larger;
  }
}

// Parses an event from a line of a file. A line that is not a complete event gives undefined; forged values are bounded.

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
  const base = { at, task, ...word(json, 'client') };
  if (json['kind'] === 'rate-limit') {
    return {
      kind: 'rate-limit',
      ...base,
      ...numberField(json, 'retryAfter'),
      ...word(json, 'by', MAX_HOST_NAME_CHARACTERS),
    };
  }
  return json['kind'] === 'call' ? callOf(json, base) : undefined;
}

function callOf(json: Json, base: Pick<CallEvent, 'at' | 'task'>): CallEvent | undefined {
  const { tool, dialect } = { ...word(json, 'tool'), ...word(json, 'dialect') };
  const bytes = numberIn(json, 'bytes');
  if (tool === undefined || dialect === undefined || bytes === undefined) return undefined;
  const reads = listIn(json, 'reads', MAX_PARSED_READS).flatMap((read) => readOf(Object(read) as Json) ?? []);
  const list = json['list'] === undefined ? undefined : listOf(Object(json['list']) as Json);
  return {
    kind: 'call',
    ...base,
    ms: numberIn(json, 'ms') ?? 0,
    dialect,
    tool,
    ...word(json, 'host', MAX_HOST_NAME_CHARACTERS),
    bytes,
    tokens: numberIn(json, 'tokens') ?? Math.ceil(bytes / 4),
    ...numberField(json, 'images'),
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
    ...numberField(json, 'totalLines'),
    ...numberField(json, 'totalBytes'),
    ...word(json, 'cutBy'),
    ...numberField(json, 'shown'),
  };
}

function listOf(json: Json): ListFacts | undefined {
  const { query } = word(json, 'query');
  const from = numberIn(json, 'from');
  if (query === undefined || from === undefined) return undefined;
  return { query, from, ...numberField(json, 'next'), ...word(json, 'cutBy') };
}

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

function numberField<N extends string>(json: Json, name: N): { readonly [K in N]?: number } {
  const value = numberIn(json, name);
  return (value === undefined ? {} : { [name]: value }) as { readonly [K in N]?: number };
}

function word<N extends string>(
  json: Json,
  name: N,
  most = MAX_WORD_CHARACTERS,
): { readonly [K in N]?: string } {
  const value = json[name];
  return (typeof value === 'string' && value !== '' ? { [name]: shortName(value, most) } : {}) as {
    readonly [K in N]?: string;
  };
}
