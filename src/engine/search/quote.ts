/**
 * Owns the texts of an answer: each line is read again through the walls, at its address. ripgrep went by names, and
 * a name may have led elsewhere while it looked; what does not open inside now, or has no line there, is left out.
 */

import { type ByteSource, readAt } from '../../access/bytes.ts';
import { type Encoding, decode, detectEncoding } from '../../text/encoding.ts';
import { LineIndex } from '../../window/line-index.ts';
import { alignDown } from '../../text/cut.ts';
import type { MatchedLine, SearchRequest } from '../request.ts';
import { type Clipped, clipAround, clipHead } from './clip.ts';
import { locateMatches } from './locate.ts';
import type { AddressedFile, AddressedLine } from './page.ts';
import type { Search } from './search-run.ts';

/** Bytes of the longest code point in any encoding. */
const POINT = 4;

interface Head {
  readonly address: AddressedLine;
  /** Stored bytes. */
  readonly start: number;
  readonly text: string;
  readonly whole: boolean;
}

export interface QuoteOptions {
  readonly clip: SearchRequest['clip'];
  /** Bytes of text after which the answer is full anyway. */
  readonly room: number;
  readonly signal: AbortSignal;
}

/** The lines of one file, clipped. `source` is the file as it opened inside the walls. */
export async function quoteLines(
  source: ByteSource,
  file: AddressedFile,
  search: Search,
  { clip, room, signal }: QuoteOptions,
): Promise<MatchedLine[]> {
  const encoding = detectEncoding(await readAt(source, 0, 4096, signal));
  const text = new LineTexts(source, encoding, clip.characters, signal);
  const heads: Head[] = [];
  let bytes = 0;
  let matched = false;
  for (const address of file.lines) {
    // Context alone would not lead on.
    if (bytes > room && matched) break;
    const head = await text.head(address);
    if (!head) continue;
    heads.push(head);
    matched ||= address.rank !== undefined;
    bytes += head.whole ? Buffer.byteLength(head.text) : clip.characters;
  }
  const long = heads.filter((head) => !head.whole && head.address.rank !== undefined);
  const seekable = clip.keep === 'match' && encoding.unit === 1 && long.length > 0;
  const starts = long.map((head) => head.start);
  const matches = seekable ? await locateMatches(source, starts, search, signal) : new Map<number, number>();
  const lines: MatchedLine[] = [];
  for (const { address, start, text: known, whole } of heads) {
    const match = matches.get(start);
    const clipped: Clipped =
      match === undefined ? clipHead(known, clip.characters, whole) : await text.around(start, match);
    lines.push({ no: address.no, ...(address.rank !== undefined && { rank: address.rank }), ...clipped });
  }
  return lines;
}

class LineTexts {
  readonly #source: ByteSource;
  readonly #encoding: Encoding;
  readonly #index: LineIndex;
  readonly #characters: number;
  readonly #signal: AbortSignal;

  constructor(source: ByteSource, encoding: Encoding, characters: number, signal: AbortSignal) {
    this.#source = source;
    this.#encoding = encoding;
    this.#index = new LineIndex(encoding);
    this.#characters = characters;
    this.#signal = signal;
  }

  /** The line as far as its clip may reach, or undefined when no line begins there any more. */
  async head(address: AddressedLine): Promise<Head | undefined> {
    const { unit, bom } = this.#encoding;
    const start = await this.#startOf(address);
    if (start === undefined) return undefined;
    const lead = Math.min(unit, start - bom);
    const most = (this.#characters + 1) * POINT;
    const bytes = await readAt(this.#source, start - lead, lead + most + POINT, this.#signal);
    if (bytes.length <= lead) return undefined;
    if (lead > 0 && this.#encoding.scanner.count(bytes.subarray(0, lead)) === 0) return undefined;
    const { text, ended } = this.#line(bytes.subarray(lead), most);
    return { address, start, text, whole: ended && [...text].length <= this.#characters };
  }

  /** The line that begins at `start`, clipped around byte `match`. */
  async around(start: number, match: number): Promise<Clipped> {
    const most = this.#characters * POINT;
    const from = Math.max(start, match - most);
    const bytes = await readAt(this.#source, from, match - from + most + POINT, this.#signal);
    const split = match - from;
    const first = from === start ? 0 : firstWhole(bytes);
    const before = decode(bytes.subarray(first, split), this.#encoding).text;
    const { text: after, ended } = this.#line(bytes.subarray(split), most);
    return clipAround({ before, after, fromStart: from === start, toEnd: ended }, this.#characters);
  }

  /** ripgrep counts bytes of UTF-8 behind the mark; in other encodings only its line number holds. */
  #startOf({ no, offset }: AddressedLine): Promise<number | undefined> {
    const { unit, bom } = this.#encoding;
    if (unit === 1) return Promise.resolve(offset + bom);
    return this.#index.startOf(no, this.#source, this.#signal);
  }

  /** Up to the terminator, without it; or, when that lies behind `most` bytes, whole code points up to there. */
  #line(bytes: Uint8Array, most: number): { text: string; ended: boolean } {
    const { unit, scanner } = this.#encoding;
    const after = scanner.after(bytes, 1);
    if (after !== -1) {
      const text = decode(bytes.subarray(0, after - unit), this.#encoding).text;
      return { text: text.endsWith('\r') ? text.slice(0, -1) : text, ended: true };
    }
    const ended = bytes.length <= most;
    const end = ended ? bytes.length : alignDown(bytes, most, this.#encoding);
    return { text: decode(bytes.subarray(0, end), this.#encoding).text, ended };
  }
}

/** The first byte of `bytes` (UTF-8) that is not the rest of a cut sequence. */
function firstWhole(bytes: Uint8Array): number {
  let at = 0;
  while (at < 3 && ((bytes[at] ?? 0) & 0xc0) === 0x80) at += 1;
  return at;
}
