/** Searches one text for multi-line matches; the whole text is kept in memory. */

import { setImmediate } from 'node:timers/promises';
import { latin1ToPath } from '../files/held-directory.ts';
import type { RipgrepInput } from '../process/ripgrep.ts';
import { memoryBytes, readAt } from '../text/bytes.ts';
import { decode, utf8 } from '../text/encoding.ts';
import type { ByteSource, OpenedFile } from '../types/access.ts';
import type { Call } from '../types/call.ts';
import type { TextEncoding } from '../types/excerpt.ts';
import { GapsOnTheWay, GapsSeen } from '../walk/gaps.ts';
import type { PackedTexts } from '../walk/walk-messages.ts';
import { WaitCondition } from '../walk/walk-run.ts';
import {
  type AddressedFile,
  addresses,
  LineCursor,
  type MatchAddress,
  type PlacedAddress,
} from './match-page.ts';
import {
  addressFlags,
  encodingFlags,
  fileInput,
  type GrowingInput,
  quotableIn,
  type QuotableText,
  searchedBytes,
  type SearchInput,
} from './search-input.ts';
import { isSearchLate, recordGap, type SearchRun } from './search-run.ts';

/** A match in a part of a text, with the path and the line numbers of the part. */
export function placedIn(
  { path, group, lines }: TextSection,
  { no, offset, match, at }: MatchAddress,
): PlacedAddress {
  return { no: no - lines, offset, match, at, path, group };
}

/** One file, which must stay open as long as the input is used. `path` is the path that its addresses get. */
export function openedInput(
  opened: OpenedFile,
  path: string,
  encoding: TextEncoding,
  search: SearchRun,
): SearchInput {
  return search.request.multiline
    ? wholeTextInput(opened.bytes, encoding, [{ path, lines: 0, start: 0 }], search)
    : fileInput(opened, path, encoding, search);
}

/** `sections` give the paths of the lines, as for a text inside a container. */
export function wholeTextInput(
  source: ByteSource,
  encoding: TextEncoding,
  sections: readonly TextSection[],
  search: SearchRun,
): SearchInput {
  const gaps = new GapsOnTheWay();
  let text: Uint8Array = Buffer.alloc(0);
  return {
    gaps,
    async *addresses() {
      const stored = await readAt(source, 0, MAX_WHOLE_TEXT_BYTES + 1);
      if (stored.length > MAX_WHOLE_TEXT_BYTES) {
        gaps.add({ ...new GapsSeen().facts, large: 1 }, 0);
        return;
      }
      const content = stored.subarray(encoding.bom);
      const isUtf8 = encoding.unit === 1 && !encoding.legacy;
      text = isUtf8 ? content : Buffer.from(decode(content, encoding).text);
      for await (const batch of linesThatMatch(text, search))
        yield batch.map((address) => placedIn(sectionAt(sections, address.offset), address));
    },
    quotable: (file) => ({ ...quotableIn(memoryBytes(text), encoding, file), encoding: utf8 }),
  };
}

/** Searches one text inside a container. Lines are numbered as in the calls that read its sections. */
export function containerTextInput(
  { source, encoding, sections }: ContainerText,
  search: SearchRun,
  call: Call,
): SearchInput {
  const gaps = new GapsOnTheWay();
  return {
    gaps,
    async *addresses() {
      const flags = [...addressFlags(search), ...encodingFlags(encoding)];
      const bytes = searchedBytes(source, source.size ?? Number.POSITIVE_INFINITY, encoding);
      const run = search.run(flags, { kind: 'bytes', bytes });
      let isBegun = false;
      try {
        for await (const batch of addresses(run)) {
          isBegun = true;
          yield batch.map((address) => placedIn(sectionAt(sections, address.offset), address));
        }
      } catch (error) {
        // A text that cannot be read to its end, as if a disk is full, is a gap too.
        if (error !== run.inputFailure) throw error;
        const unread = new GapsSeen();
        recordGap(error, sectionAt(sections, 0).path, { gaps: unread }, call);
        return gaps.add(isBegun ? { ...new GapsSeen().facts, cut: 1 } : unread.facts, 0);
      }
      // A line that exceeds the memory limit is a gap of this text only; other texts are still searched.
      if (run.outcome?.outOfMemory) gaps.add({ ...new GapsSeen().facts, cut: 1 }, 0);
      else search.judge(run.outcome);
    },
    quotable: (file) => quotableIn(source, encoding, file),
  };
}

// A text inside a container, with the calls that read its sections.

export interface ContainerText {
  readonly source: ByteSource;
  readonly encoding: TextEncoding;
  /** Sorted by `start`; the first begins at 0. */
  readonly sections: readonly TextSection[];
  /** Whether it is a document that was converted to Markdown. */
  readonly isMarkdown?: true | undefined;
}

/** The section that contains the byte at `offset` (0-based). Binary search: a text may have thousands of sections. */
export function sectionAt(sections: readonly TextSection[], offset: number): TextSection {
  let [low, high] = [0, sections.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((sections[middle] as TextSection).start <= offset) low = middle;
    else high = middle - 1;
  }
  return sections[low] as TextSection;
}

/** A part of a text that has its own call, such as a page. */
export interface TextSection {
  /** The call that reads it. */
  readonly path: string;
  /** The call that reads it together with others, if they are counted as one: the table of a row. */
  readonly group?: string | undefined;
  /** The number of lines and bytes before it in the text, which is UTF-8 without a byte order mark. */
  readonly lines: number;
  readonly start: number;
}

// Searches many small texts for multi-line matches in one process; each text is one record.

interface Held {
  readonly path: string;
  readonly bytes: Uint8Array;
  /** Its offset in the input of ripgrep. */
  readonly start: number;
  /** Its offset in the bytes of the portion. */
  readonly place: number;
  readonly guessed?: string | undefined;
}

export class MultilinePortion implements GrowingInput {
  readonly gaps = new GapsOnTheWay();
  size = 0;
  readonly #search: SearchRun;
  readonly #released: (texts: PackedTexts) => void;
  readonly #texts: PackedTexts[] = [];
  readonly #held: Held[] = [];
  readonly #byPath = new Map<string, Held>();
  readonly #changed = new WaitCondition();
  #start = 0;
  #ended = false;
  #closed = false;
  /** The text with the last match: its index, and its lines from that match on. */
  #at = 0;
  #cursor: LineCursor | undefined;

  /** `released` is called for each of the texts when the portion is closed. */
  constructor(search: SearchRun, released: (texts: PackedTexts) => void) {
    this.#search = search;
    this.#released = released;
  }

  add(texts: PackedTexts): void {
    this.#texts.push(texts);
    const before = this.size;
    this.size += texts.bytes.length;
    for (const { file, gaps } of texts.gaps ?? [])
      this.gaps.add(gaps, before + (file === 0 ? 0 : (texts.ends[file - 1] as number)));
    let from = 0;
    for (const [i, latin1] of texts.paths.split('\0').entries()) {
      const to = texts.ends[i] as number;
      const path = latin1ToPath(latin1);
      const guessed = texts.guessed?.[i];
      const held = {
        path,
        bytes: texts.bytes.subarray(from, to),
        start: this.#start,
        place: before + from,
        guessed,
      };
      this.#held.push(held);
      this.#start += held.bytes.length + 1;
      from = to;
    }
  }

  end(): void {
    this.#ended = true;
    this.#changed.notify();
  }

  async *addresses(): AsyncGenerator<PlacedAddress[], void> {
    while (!this.#ended && !this.#closed) await this.#changed.wait();
    const run = this.#search.run(MULTILINE_FLAGS, { kind: 'bytes', bytes: this.#input() });
    for await (const matches of matchSpans(run)) yield* inBatches(this.#linesOf(matches), this.#search);
    yield [...this.#rest()];
    this.#search.judge(run.outcome);
  }

  *#linesOf(matches: readonly MatchSpan[]): Generator<PlacedAddress, void> {
    for (const { from, to } of matches) {
      while (from >= (this.#held[this.#at + 1]?.start ?? Number.POSITIVE_INFINITY)) {
        yield* this.#rest();
        this.#at += 1;
      }
      const held = this.#held[this.#at] as Held;
      const { path, start } = held;
      this.#byPath.set(path, held);
      this.#cursor ??= new LineCursor(held.bytes, this.#search.scope);
      for (const address of this.#cursor.take(from - start, to - start)) yield { ...address, path };
    }
  }

  /** The context lines after the last match in the current text. */
  *#rest(): Generator<PlacedAddress, void> {
    const path = this.#held[this.#at]?.path ?? '';
    for (const address of this.#cursor?.rest() ?? []) yield { ...address, path };
    this.#cursor = undefined;
  }

  placeOf({ path }: PlacedAddress): number {
    return (this.#byPath.get(path) as Held).place;
  }

  quotable(file: AddressedFile): QuotableText {
    const { bytes, guessed } = this.#byPath.get(file.path) as Held;
    const source = memoryBytes(bytes);
    return { source, encoding: utf8, guessed, file };
  }

  close(): Promise<void> {
    if (!this.#closed) for (const texts of this.#texts) this.#released(texts);
    this.#closed = true;
    this.#changed.notify();
    return Promise.resolve();
  }

  /** The input of ripgrep: a copy of one message of texts at a time, with a NUL after each text. */
  async *#input(): AsyncGenerator<Uint8Array, void> {
    let file = 0;
    for (const texts of this.#texts) {
      if (this.#closed) return;
      const piece = Buffer.alloc(texts.bytes.length + texts.ends.length);
      let used = 0;
      for (let i = 0; i < texts.ends.length; i += 1, file += 1) {
        const { bytes } = this.#held[file] as Held;
        piece.set(bytes, used);
        used += bytes.length + 1;
      }
      yield piece;
    }
  }
}

// Multi-line matches. Each text is one NUL-terminated record for ripgrep, so that no match extends from one text into the
// next. The lines that a match covers are found in the searched bytes.

/** The most bytes of a text that is searched with `multiline`: the whole text is in memory, here and in ripgrep. */
export const MAX_WHOLE_TEXT_BYTES = 16 << 20;

const MULTILINE_FLAGS = [
  '--null-data',
  '--only-matching',
  '--byte-offset',
  '--no-line-number',
  '--encoding=none',
  '--no-mmap',
];

/** The offsets of a match in the input: `from` inclusive, `to` exclusive. */
interface MatchSpan {
  readonly from: number;
  readonly to: number;
}

const COLON = 58;

/** Parses records of the form `FROM:match NUL`. A match may be of any size; it is not kept. */
export async function* matchSpans(chunks: AsyncIterable<Buffer>): AsyncGenerator<MatchSpan[], void> {
  let digits = '';
  /** The length of the match so far; undefined while its offset is read. */
  let length: number | undefined;
  for await (const chunk of chunks) {
    const batch: MatchSpan[] = [];
    for (let at = 0; at < chunk.length;) {
      if (length === undefined) {
        const colon = chunk.indexOf(COLON, at);
        digits += chunk.toString('latin1', at, colon === -1 ? chunk.length : colon);
        if (colon === -1) break;
        length = 0;
        at = colon + 1;
        continue;
      }
      const nul = chunk.indexOf(0, at);
      length += (nul === -1 ? chunk.length : nul) - at;
      if (nul === -1) break;
      batch.push({ from: Number(digits), to: Number(digits) + length });
      [digits, length] = ['', undefined];
      at = nul + 1;
    }
    if (batch.length > 0) yield batch;
  }
}

/** The matching lines of one text and their context lines. */
export async function* linesThatMatch(
  text: Uint8Array,
  search: SearchRun,
): AsyncGenerator<MatchAddress[], void> {
  const run = search.run(MULTILINE_FLAGS, bytesOnce(text));
  const cursor = new LineCursor(text, search.scope);
  for await (const matches of matchSpans(run)) {
    yield* inBatches(linesOf(matches, cursor), search);
  }
  yield* inBatches(cursor.rest(), search);
  search.judge(run.outcome);
}

function* linesOf(matches: readonly MatchSpan[], cursor: LineCursor): Generator<MatchAddress, void> {
  for (const { from, to } of matches) yield* cursor.take(from, to);
}

/** Lines per batch: a match may cover millions of lines. */
const AT_ONCE = 4096;

/** Groups items into batches; stops at the deadline of the search. */
async function* inBatches<T>(items: Iterable<T>, search: SearchRun): AsyncGenerator<T[], void> {
  let batch: T[] = [];
  for (const item of items) {
    batch.push(item);
    if (batch.length < AT_ONCE) continue;
    yield batch;
    batch = [];
    await setImmediate();
    if (isSearchLate(search)) return;
  }
  if (batch.length > 0) yield batch;
}

function bytesOnce(text: Uint8Array): RipgrepInput {
  async function* bytes(): AsyncGenerator<Uint8Array, void> {
    yield text;
  }
  return { kind: 'bytes', bytes: bytes() };
}
