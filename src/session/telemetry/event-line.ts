/** Serialises an event as one line of JSON: the same bytes as `safeJson` gives. */

import type { CallEvent, ReadFacts, Span, TelemetryEvent } from '../../types/telemetry.ts';
import type { LineBuffer } from './line-buffer.ts';

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

const number: Write<number> = (line, value) => line.number(value);

/** `source` comes first, as it is never absent. */
const READ_FIELDS = fieldsOf<Omit<ReadFacts, 'source'>>({
  what: name,
  version: name,
  view: name,
  window: name,
  lines: writeSpans,
  bytes: writeSpans,
  totalLines: number,
  totalBytes: number,
  cutBy: name,
  shown: number,
});

const SOURCE = ascii('{"source":');

/** In the order of `eventOfCall`. Without `list`: an event with a list is written by `safeJson`. */
const CALL_FIELDS = fieldsOf<Omit<CallEvent, 'kind' | 'list'>>({
  task: name,
  client: name,
  at: number,
  ms: number,
  dialect: name,
  tool: name,
  host: name,
  bytes: number,
  tokens: number,
  images: number,
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

function writeSpans(line: LineBuffer, spans: readonly Span[]): void {
  line.put(BEGIN_LIST);
  for (let i = 0; i < spans.length; i += 1) {
    const [from, to] = spans[i] as Span;
    if (i > 0) line.put(COMMA);
    line.put(BEGIN_LIST);
    line.number(from);
    line.put(COMMA);
    line.number(to);
    line.put(END_LIST);
  }
  line.put(END_LIST);
}
