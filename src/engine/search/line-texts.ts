/** Reads single lines of a text at their addresses; of a long line only as much as a clip can show. */

import { readAt } from '../../access/bytes.ts';
import { alignDown } from '../../text/cut.ts';
import { decode } from '../../text/encoding.ts';
import type { ByteSource } from '../../types/byte-source.ts';
import type { Encoding } from '../../types/encoding.ts';
import { LineIndex } from '../../window/line-index.ts';
import { type Clipped, clipAround } from './clip.ts';
import type { AddressedLine } from './match-page.ts';

/** Bytes of the longest code point in any encoding. */
const POINT = 4;

export interface LineHead {
  readonly address: AddressedLine;
  /** The offset of its first byte in the stored text. */
  readonly start: number;
  /** The text without the line terminator. */
  readonly text: string;
  /** Whether `text` is the complete line and not longer than a clip. */
  readonly whole: boolean;
}

/** The most bytes of a changed text in which lines are counted again, which takes some milliseconds. */
const LOOKED_AGAIN = 64 << 20;

export class LineTexts {
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

  /** The start of the line, as long as a clip can show; undefined if no line begins there any more. */
  async head(address: AddressedLine): Promise<LineHead | undefined> {
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

  /**
   * Whether the text was rewritten, so that the line now has another number. Checked only for changed files, and only in
   * their first `LOOKED_AGAIN` bytes: a log grows constantly, and the check must read everything before the line.
   */
  async moved({ address, start }: LineHead): Promise<boolean> {
    if (start > LOOKED_AGAIN || !(await this.#source.changed?.())) return false;
    return (await this.#index.startOf(address.no, this.#source, this.#signal)) !== start;
  }

  /** The line that begins at offset `start`, clipped around the byte at offset `match`. */
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

  /** ripgrep counts UTF-8 bytes after the byte order mark. In other encodings only its line number can be used. */
  #startOf({ no, offset }: AddressedLine): Promise<number | undefined> {
    const { unit, bom, legacy } = this.#encoding;
    if (unit === 1 && !legacy) return Promise.resolve(offset + bom);
    return this.#index.startOf(no, this.#source, this.#signal);
  }

  /** Decodes up to the terminator (without it); if there is none within `most` bytes, whole code points up to there. */
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

/** The offset of the first byte of `bytes` (UTF-8) that is not a continuation byte of a cut sequence. */
function firstWhole(bytes: Uint8Array): number {
  let at = 0;
  while (at < 3 && ((bytes[at] ?? 0) & 0xc0) === 0x80) at += 1;
  return at;
}
