/** The inputs of ripgrep processes. One input is many small texts one after the other, or one file. */

import { latin1ToPath } from '../files/held-directory.ts';
import { hasDescriptorPaths } from '../files/descriptors.ts';
import type { RipgrepRun } from '../process/ripgrep.ts';
import { chunksOf, memoryBytes, readAt } from '../text/bytes.ts';
import { type BufferedScanner, createScanner, decode, utf8 } from '../text/encoding.ts';
import type { ByteSource, OpenedFile } from '../types/access.ts';
import type { TextEncoding } from '../types/excerpt.ts';
import { GapsOnTheWay } from '../walk/gaps.ts';
import type { PackedTexts } from '../walk/walk-messages.ts';
import { WaitCondition } from '../walk/walk-run.ts';
import {
  ADDRESS_FLAGS,
  type AddressedFile,
  addresses,
  type MatchAddress,
  type PlacedAddress,
} from './match-page.ts';
import type { SearchRun } from './search-run.ts';

/** A searched text whose lines can be read for the answer. */
export interface QuotableText {
  readonly source: ByteSource;
  /** The encoding of `source`. */
  readonly encoding: TextEncoding;
  /** The encoding of the stored file, if it was guessed. */
  readonly guessed?: string | undefined;
  /** Whether it is Markdown, the text of which is searched too. */
  readonly isMarkdown?: true | undefined;
  /** The addresses of its lines, relative to the source. */
  readonly file: AddressedFile;
}

export interface SearchInput {
  /** What was left out, by position in the input. */
  readonly gaps: GapsOnTheWay;
  /** Yields the addresses in order. Can be called once. */
  addresses(): AsyncGenerator<PlacedAddress[], void>;
  /** The position of an address, on the scale of `gaps`; 0 if absent. */
  placeOf?(address: PlacedAddress): number;
  /** The text of a file for which an address was yielded. */
  quotable(file: AddressedFile): QuotableText;
  /** Ends what outlives the reading of the addresses. */
  close?(): Promise<void>;
}

/** An input to which texts are still added. */
export interface GrowingInput extends SearchInput {
  /** The number of bytes so far. */
  readonly size: number;
  /** Adds texts and their gaps. */
  add(texts: PackedTexts): void;
  /** No more texts are added. */
  end(): void;
}

/** One file, which must stay open as long as the input is used. */
export function fileInput(
  { fd, bytes: source }: OpenedFile,
  path: string,
  encoding: TextEncoding,
  search: SearchRun,
): SearchInput {
  const first = search.scope.firstOnly ? ['--max-count=1'] : [];
  const flags = [...addressFlags(search), ...encodingFlags(encoding), ...first];
  const overBytes = async function* (): AsyncGenerator<Buffer, void> {
    const bytes = searchedBytes(source, source.size ?? 0, encoding);
    const run = search.run(flags, { kind: 'bytes', bytes });
    yield* run;
    search.judge(run.outcome);
  };
  return {
    gaps: new GapsOnTheWay(),
    async *addresses() {
      const isRead = fd === undefined || encoding.unit === 4 || !hasDescriptorPaths();
      for await (const batch of addresses(isRead ? overBytes() : search.overFile(flags, fd)))
        yield batch.map((address) => ({ ...address, path }));
    },
    quotable: (file) => quotableIn(source, encoding, file),
  };
}

/** `encoding` is that of the stored file. */
export function quotableIn(source: ByteSource, encoding: TextEncoding, file: AddressedFile): QuotableText {
  const guessed = encoding.known === 'guessed' ? encoding.name : undefined;
  return { source, encoding, guessed, file };
}

/**
 * The ripgrep flags for an encoding. ripgrep detects byte order marks itself. It decodes other encodings to UTF-8, and its
 * offsets then count decoded bytes. UTF-32 is decoded by `searchedBytes`, because ripgrep takes its mark for one of UTF-16.
 */
export function encodingFlags({ name, unit, bom, legacy }: TextEncoding): string[] {
  if (unit === 4) return ['--encoding=none'];
  return legacy || (unit === 2 && bom === 0) ? [`--encoding=${name}`] : [];
}

/** A multiple of every code unit. */
const CHUNK = 64 << 10;

/** The bytes of a text for ripgrep, up to offset `end`: as stored, but UTF-32 as UTF-8 without its byte order mark. */
export async function* searchedBytes(
  source: ByteSource,
  end: number,
  encoding: TextEncoding,
): AsyncGenerator<Uint8Array, void> {
  if (encoding.unit !== 4) {
    for await (const chunk of chunksOf(source, 0, end, CHUNK)) yield Buffer.from(chunk);
    return;
  }
  for (let at = encoding.bom; at < end; at += CHUNK) {
    const units = await readAt(source, at, Math.min(CHUNK, end - at));
    yield Buffer.from(decode(units, encoding).text);
    if (units.length < CHUNK) return;
  }
}

/** The position of a file in a portion. */
interface Place {
  readonly texts: PackedTexts;
  readonly from: number;
  readonly to: number;
  /** Its offset in the bytes of the portion. */
  readonly start: number;
  readonly guessed?: string | undefined;
}

let scanner: BufferedScanner | undefined;

/**
 * Small texts that are sent to one ripgrep process as they arrive. The process starts with the first text, or immediately if the
 * pattern may be invalid.
 */
export class TextPortion implements GrowingInput {
  readonly gaps = new GapsOnTheWay();
  /** The number of bytes so far. */
  size = 0;
  readonly #search: SearchRun;
  readonly #run: RipgrepRun;
  readonly #output: AsyncIterator<Buffer, void>;
  /** The first output; undefined while the process is not started. */
  #first: Promise<IteratorResult<Buffer, void>> | undefined;
  readonly #released: (texts: PackedTexts) => void;
  readonly #texts: PackedTexts[] = [];
  readonly #changed = new WaitCondition();
  #ended = false;
  #closed = false;
  /** The position of the last address: index of the texts, their offset in the portion, index of the file in them. */
  #at = { texts: 0, start: 0, file: 0 };
  #paths: readonly string[] = [];
  readonly #places = new Map<string, Place>();
  /** The number of newlines before offset `to`; `texts` and `start` are as in `#at`. */
  #counted = { to: 0, texts: 0, start: 0, lines: 0 };

  /** `released` is called for each of the texts when the portion is closed. */
  constructor(search: SearchRun, released: (texts: PackedTexts) => void) {
    this.#search = search;
    this.#released = released;
    const flags = [...addressFlags(search), '--encoding=none', '--no-mmap'];
    this.#run = search.run(flags, { kind: 'bytes', bytes: this.#input() });
    this.#output = this.#run[Symbol.asyncIterator]();
    if (!search.isPlain) this.#begin();
  }

  add(texts: PackedTexts): void {
    this.#begin();
    this.#texts.push(texts);
    for (const { file, gaps } of texts.gaps ?? [])
      this.gaps.add(gaps, this.size + (file === 0 ? 0 : (texts.ends[file - 1] as number)));
    this.size += texts.bytes.length;
    this.#changed.notify();
  }

  /** No more texts are added. */
  end(): void {
    this.#ended = true;
    this.#changed.notify();
  }

  async *addresses(): AsyncGenerator<PlacedAddress[], void> {
    for await (const batch of addresses(this.#chunks())) {
      yield batch.map((address) => ({ ...address, path: this.#pathAt(address) }));
    }
    this.#search.judge(this.#run.outcome);
  }

  placeOf({ offset }: PlacedAddress): number {
    return offset;
  }

  quotable({ path, lines }: AddressedFile): QuotableText {
    const place = this.#places.get(path) as Place;
    const before = this.#linesBefore(place);
    const own = lines.map(({ no, offset, ...rest }) => ({
      ...rest,
      no: no - before,
      offset: offset - place.start,
    }));
    const { texts, from, to, guessed } = place;
    const source = memoryBytes(texts.bytes.subarray(from, to));
    return { source, encoding: utf8, guessed, file: { path, lines: own } };
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#changed.notify();
    await this.#output.return?.();
    for (const texts of this.#texts) this.#released(texts);
  }

  #begin(): void {
    this.#first ??= this.#output.next();
    // Not unhandled: whoever reads the addresses gets the error.
    this.#first.catch(() => undefined);
  }

  async *#input(): AsyncGenerator<Uint8Array, void> {
    for (let i = 0; !this.#closed;) {
      const texts = this.#texts[i];
      if (texts) {
        i += 1;
        yield texts.bytes;
      } else if (this.#ended) return;
      else await this.#changed.wait();
    }
  }

  async *#chunks(): AsyncGenerator<Buffer, void> {
    while (!this.#first && !this.#ended && !this.#closed) await this.#changed.wait();
    if (!this.#first) return;
    for (let next = await this.#first; !next.done; next = await this.#output.next()) yield next.value;
  }

  /** The path of an address. Addresses must be given in order. */
  #pathAt({ offset }: MatchAddress): string {
    const at = this.#at;
    let texts = this.#texts[at.texts] as PackedTexts;
    while (offset >= at.start + texts.bytes.length) {
      at.start += texts.bytes.length;
      at.texts += 1;
      at.file = 0;
      this.#paths = [];
      texts = this.#texts[at.texts] as PackedTexts;
    }
    while (offset >= at.start + (texts.ends[at.file] as number)) at.file += 1;
    if (this.#paths.length === 0) this.#paths = texts.paths.split('\0');
    const path = latin1ToPath(this.#paths[at.file] as string);
    if (!this.#places.has(path)) {
      const from = at.file === 0 ? 0 : (texts.ends[at.file - 1] as number);
      const to = texts.ends[at.file] as number;
      const guessed = texts.guessed?.[at.file];
      const start = at.start + from;
      this.#places.set(path, { texts, from, to, start, guessed });
    }
    return path;
  }

  /** The number of lines before a file. Files must be given in order. */
  #linesBefore({ start }: Place): number {
    scanner ??= createScanner();
    const at = this.#counted;
    for (let texts = this.#texts[at.texts]; texts && at.to < start; texts = this.#texts[at.texts]) {
      const end = Math.min(start, at.start + texts.bytes.length);
      at.lines += scanner.count(texts.bytes.subarray(at.to - at.start, end - at.start));
      at.to = end;
      if (end < at.start + texts.bytes.length) break;
      at.start = end;
      at.texts += 1;
    }
    return at.lines;
  }
}

/** The flags for the output of every ripgrep process. */
export function addressFlags({ scope }: SearchRun): string[] {
  return [...ADDRESS_FLAGS, `--before-context=${scope.before}`, `--after-context=${scope.after}`];
}
