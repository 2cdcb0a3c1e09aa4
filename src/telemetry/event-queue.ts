/**
 * The last events of a task: a queue to which new events are added and from which the oldest are removed. Most events are
 * about one part of one text; these are stored as numbers and strings in arrays, because thousands of objects would cost
 * more garbage collection than the counting itself.
 */

import type { Complete } from '../types/mutable.ts';
import type { CallEvent, ReadFacts, Span, TelemetryEvent } from '../types/telemetry.ts';

/** Events of a block, which is removed as a whole. */
const BLOCK = 64;

/** This many characters of a name weigh as much as a range. */
const NAME_WEIGHT = 32;

interface Block {
  /** `NUMBERS` for each event; NaN stands for undefined. */
  readonly numbers: Float64Array;
  /** `NAMES` for each event. An event that cannot be packed is stored as an object in the first place. */
  readonly names: (string | TelemetryEvent | undefined)[];
}

/** Weight; `at`, `ms`, `bytes`, `tokens`; lines and bytes, each from and to; the totals of the text. */
const NUMBERS = 11;

/** `task`, `client`, `dialect`, `tool`, `host`, `error`; `source`, `what`, `version`, `view`, `window`, `cutBy`. */
const NAMES = 12;

export class EventQueue implements Iterable<TelemetryEvent> {
  readonly #blocks: Block[] = [];
  /** A block whose events were removed; it is reused for the next block. */
  #spare: Block | undefined;
  /** Number of removed events in the first block. */
  #gone = 0;
  #length = 0;
  #weight = 0;

  get length(): number {
    return this.#length;
  }

  /** A measure of memory: a call may read 20 sources with 16 ranges each. */
  get weight(): number {
    return this.#weight;
  }

  /** The event at an index, 0 for the oldest one in the queue. */
  at(index: number): TelemetryEvent | undefined {
    if (index < 0 || index >= this.#length) return undefined;
    const place = this.#gone + index;
    return unpacked(this.#blocks[Math.floor(place / BLOCK)] as Block, place % BLOCK);
  }

  push(event: TelemetryEvent): void {
    const place = (this.#gone + this.#length) % BLOCK;
    if (place === 0) this.#blocks.push(this.#spare ?? newBlock());
    if (place === 0) this.#spare = undefined;
    const weight = weightOf(event);
    pack(this.#blocks[this.#blocks.length - 1] as Block, place, event, weight);
    this.#length += 1;
    this.#weight += weight;
  }

  /** Removes the oldest event. Returns whether there was one. */
  shift(): boolean {
    if (this.#length === 0) return false;
    const { numbers, names } = this.#blocks[0] as Block;
    this.#weight -= numbers[NUMBERS * this.#gone] as number;
    // Frees the names now, because the block may stay for a long time.
    for (let i = NAMES * this.#gone, end = i + NAMES; i < end; i += 1) names[i] = undefined;
    this.#length -= 1;
    this.#gone += 1;
    if (this.#gone === BLOCK || this.#length === 0) {
      this.#spare = this.#blocks.shift();
      this.#gone = 0;
    }
    return true;
  }

  *[Symbol.iterator](): Iterator<TelemetryEvent> {
    for (let i = 0; i < this.length; i += 1) yield this.at(i) as TelemetryEvent;
  }
}

function weightOf(event: TelemetryEvent): number {
  let weight = 1;
  if (event.kind !== 'call' || !event.reads) return weight;
  for (const { source, lines, bytes } of event.reads)
    weight += 1 + (lines?.length ?? 0) + (bytes?.length ?? 0) + Math.ceil(source.length / NAME_WEIGHT);
  return weight;
}

function newBlock(): Block {
  return {
    numbers: new Float64Array(NUMBERS * BLOCK),
    // `Array.from` takes ten times as long.
    names: Array<undefined>(NAMES * BLOCK).fill(undefined),
  };
}

const NO_SPAN: Span = [Number.NaN, Number.NaN];

/** Fields are assigned one by one, for speed: this runs for every call. */
function pack({ numbers, names }: Block, place: number, event: TelemetryEvent, weight: number): void {
  let [n, m] = [NUMBERS * place, NAMES * place];
  numbers[n] = weight;
  if (!isPlain(event)) {
    names[m] = event;
    return;
  }
  const { reads } = event;
  const read = reads[0];
  const [first, last] = read.lines?.[0] ?? NO_SPAN;
  const [from, to] = read.bytes?.[0] ?? NO_SPAN;
  numbers[++n] = event.at;
  numbers[++n] = event.ms;
  numbers[++n] = event.bytes;
  numbers[++n] = event.tokens;
  numbers[++n] = first;
  numbers[++n] = last;
  numbers[++n] = from;
  numbers[++n] = to;
  numbers[++n] = read.totalLines ?? Number.NaN;
  numbers[++n] = read.totalBytes ?? Number.NaN;
  names[m] = event.task;
  names[++m] = event.client;
  names[++m] = event.dialect;
  names[++m] = event.tool;
  names[++m] = event.host;
  names[++m] = event.error;
  names[++m] = read.source;
  names[++m] = read.what;
  names[++m] = read.version;
  names[++m] = read.view;
  names[++m] = read.window;
  names[++m] = read.cutBy;
}

/** Whether the event is about one part of one text, so that it can be packed. */
function isPlain(event: TelemetryEvent): event is CallEvent & { readonly reads: readonly [ReadFacts] } {
  if (event.kind !== 'call' || event.list || event.images !== undefined || event.reads?.length !== 1)
    return false;
  const { lines, bytes, shown } = event.reads[0] as ReadFacts;
  return (lines?.length ?? 1) === 1 && (bytes?.length ?? 1) === 1 && shown === undefined;
}

/** Unpacks the event at a place of a block. */
function unpacked({ numbers, names }: Block, place: number): TelemetryEvent {
  const kept = names[NAMES * place];
  if (typeof kept === 'object') return kept;
  const number = (i: number): number => numbers[NUMBERS * place + i] as number;
  const name = (i: number): string | undefined => names[NAMES * place + i] as string | undefined;
  const [task = '', dialect = '', tool = '', source = ''] = [name(0), name(2), name(3), name(6)];
  const read: Complete<Omit<ReadFacts, 'shown'>> = {
    source,
    what: name(7),
    version: name(8),
    view: name(9),
    window: name(10),
    lines: spanOf(number(5), number(6)),
    bytes: spanOf(number(7), number(8)),
    totalLines: known(number(9)),
    totalBytes: known(number(10)),
    cutBy: name(11),
  };
  const event: Complete<Omit<CallEvent, 'images' | 'list'>> = {
    kind: 'call',
    task,
    client: name(1),
    at: number(1),
    ms: number(2),
    dialect,
    tool,
    host: name(4),
    bytes: number(3),
    tokens: number(4),
    error: name(5),
    reads: [read],
  };
  return event;
}

function known(number: number): number | undefined {
  return Number.isNaN(number) ? undefined : number;
}

function spanOf(from: number, to: number): readonly Span[] | undefined {
  return Number.isNaN(from) ? undefined : [[from, to]];
}
