/** Serialises an event as one line of JSON: the same bytes as `safeJson` gives. */

import type { CallEvent, ReadFacts, Span, TelemetryEvent } from '../../types/telemetry.ts';
import type { LineBuffer } from './line-buffer.ts';

const ascii = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'latin1'));

const NEWLINE = ascii('\n');
const COMMA = ascii(',');
const END = ascii('}');
const BEGIN_LIST = ascii('[');
const END_LIST = ascii(']');

const CALL = ascii('{"kind":"call","task":');

const keys = <const K extends string>(names: readonly K[]): Readonly<Record<K, Uint8Array>> =>
  Object.fromEntries(names.map((name) => [name, ascii(`,"${name}":`)])) as Record<K, Uint8Array>;

const OF_CALL = keys([
  'client',
  'at',
  'ms',
  'dialect',
  'tool',
  'host',
  'bytes',
  'tokens',
  'images',
  'error',
  'reads',
]);

const SOURCE = ascii('{"source":');

const OF_READ = keys([
  'what',
  'version',
  'view',
  'window',
  'lines',
  'bytes',
  'totalLines',
  'totalBytes',
  'cutBy',
  'shown',
]);

export function writeEvent(line: LineBuffer, event: TelemetryEvent): void {
  if (event.kind === 'call' && event.list === undefined) writeCall(line, event);
  else line.json(event);
  line.put(NEWLINE);
}

/** Written out field by field for speed, because it runs for every call. The order is that of `eventOfCall`. */
function writeCall(line: LineBuffer, event: CallEvent): void {
  line.put(CALL);
  line.name(event.task);
  name(line, OF_CALL.client, event.client);
  number(line, OF_CALL.at, event.at);
  number(line, OF_CALL.ms, event.ms);
  name(line, OF_CALL.dialect, event.dialect);
  name(line, OF_CALL.tool, event.tool);
  name(line, OF_CALL.host, event.host);
  number(line, OF_CALL.bytes, event.bytes);
  number(line, OF_CALL.tokens, event.tokens);
  number(line, OF_CALL.images, event.images);
  name(line, OF_CALL.error, event.error);
  if (event.reads) {
    line.put(OF_CALL.reads);
    writeReads(line, event.reads);
  }
  line.put(END);
}

function writeReads(line: LineBuffer, reads: readonly ReadFacts[]): void {
  line.put(BEGIN_LIST);
  for (let i = 0; i < reads.length; i += 1) {
    if (i > 0) line.put(COMMA);
    writeRead(line, reads[i] as ReadFacts);
  }
  line.put(END_LIST);
}

function writeRead(line: LineBuffer, read: ReadFacts): void {
  line.put(SOURCE);
  line.name(read.source);
  name(line, OF_READ.what, read.what);
  name(line, OF_READ.version, read.version);
  name(line, OF_READ.view, read.view);
  name(line, OF_READ.window, read.window);
  spans(line, OF_READ.lines, read.lines);
  spans(line, OF_READ.bytes, read.bytes);
  number(line, OF_READ.totalLines, read.totalLines);
  number(line, OF_READ.totalBytes, read.totalBytes);
  name(line, OF_READ.cutBy, read.cutBy);
  number(line, OF_READ.shown, read.shown);
  line.put(END);
}

function name(line: LineBuffer, key: Uint8Array, value: string | undefined): void {
  if (value === undefined) return;
  line.put(key);
  line.name(value);
}

function number(line: LineBuffer, key: Uint8Array, value: number | undefined): void {
  if (value === undefined) return;
  line.put(key);
  line.number(value);
}

function spans(line: LineBuffer, key: Uint8Array, all: readonly Span[] | undefined): void {
  if (!all) return;
  line.put(key);
  line.put(BEGIN_LIST);
  for (let i = 0; i < all.length; i += 1) {
    const [from, to] = all[i] as Span;
    if (i > 0) line.put(COMMA);
    line.put(BEGIN_LIST);
    line.number(from);
    line.put(COMMA);
    line.number(to);
    line.put(END_LIST);
  }
  line.put(END_LIST);
}
