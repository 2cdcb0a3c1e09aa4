/** Reads the texts of the lines of an answer from the bytes that were searched. */

import { splitRecords } from '../process/ripgrep.ts';
import { alignDown, memoryBytes, readAt } from '../text/bytes.ts';
import { decode } from '../text/encoding.ts';
import { shownSize } from '../text/limits.ts';
import { LineIndex } from '../text/line-index.ts';
import { markdownOffset, plainMarkdown } from '../text/plain-markdown.ts';
import type { ByteSource } from '../types/access.ts';
import type { Call } from '../types/call.ts';
import type { Limits, TextEncoding } from '../types/excerpt.ts';
import type { SearchRequest } from '../types/request.ts';
import type { MatchedFile, MatchedLine } from '../types/result.ts';
import type { AddressedLine } from './match-page.ts';
import type { QuotableText } from './search-input.ts';
import type { SearchRun } from './search-run.ts';

interface QuoteOptions {
  readonly clip: SearchRequest['clip'];
  /** The remaining bytes of the answer. */
  readonly room: number;
  readonly limits: Limits;
  readonly signal: AbortSignal;
}

/** The lines of one file, clipped. */
async function quoteLines(
  { source, encoding, file, isMarkdown }: QuotableText,
  search: SearchRun,
  { clip, room, limits, signal }: QuoteOptions,
): Promise<MatchedLine[]> {
  const text = new LineTexts(source, encoding, clip.characters, signal);
  const heads: LineHead[] = [];
  let bytes = 0;
  let matched = false;
  let gone = false;
  for (const address of file.lines) {
    // At least one match is shown, because paging continues from the last shown match.
    if (bytes > room && matched) break;
    const head = await text.head(address);
    if (!head) {
      // The file has changed: no line begins there any more.
      gone = true;
      continue;
    }
    heads.push(head);
    matched ||= address.rank !== undefined;
    bytes += head.whole ? shownSize(head.text, limits) : clip.characters;
  }
  const last = heads.at(-1);
  if (gone || (last && (await text.moved(last)))) search.gaps.changed += 1;
  const long = heads.filter((head) => !head.whole && head.address.rank !== undefined);
  const isUtf8 = encoding.unit === 1 && !encoding.legacy;
  const seekable = clip.keep === 'match' && isUtf8 && long.length > 0;
  const starts = long.map((head) => head.start);
  const known = new Map<number, number>();
  for (const { start, address } of long) if (address.at !== undefined) known.set(start, address.at);
  const isSought = seekable && known.size === 0 && !search.request.multiline;
  const matches = isSought ? await locateMatches(source, starts, search, signal) : known;
  const unseen = isSought && isMarkdown ? starts.filter((start) => !matches.has(start)) : [];
  if (unseen.length > 0) await locateInPlain(source, unseen, search, matches, signal);
  const lines: MatchedLine[] = [];
  for (const { address, start, text: head, whole } of heads) {
    const match = matches.get(start);
    const clipped: ClippedLine =
      match === undefined ? clipHead(head, clip.characters, whole) : await text.around(start, match);
    lines.push({ no: address.no, rank: address.rank, ...clipped });
  }
  return lines;
}

/** Collects the texts of a page's files until the answer is full. */
export class QuotedFiles {
  readonly files: MatchedFile[] = [];
  #room: number;
  readonly #search: SearchRun;
  readonly #clip: SearchRequest['clip'];
  readonly #call: Call;

  constructor(search: SearchRun, clip: SearchRequest['clip'], call: Call) {
    this.#search = search;
    this.#clip = clip;
    this.#call = call;
    this.#room = call.limits.bytes;
  }

  /** Adds the lines of one file, shown as `path`. Undefined if the answer is full, or if none of the lines exists any more. */
  async add(path: string, quotable: QuotableText): Promise<MatchedFile | undefined> {
    if (this.#room < 0) return undefined;
    const { limits, signal } = this.#call;
    const options = { clip: this.#clip, room: this.#room, limits, signal };
    const lines = await quoteLines(quotable, this.#search, options);
    if (lines.length === 0) return undefined;
    for (const line of lines) this.#room -= shownSize(line.text, limits);
    const { guessed } = quotable;
    const quoted = { path, lines, guessed };
    this.files.push(quoted);
    return quoted;
  }
}

// Reads single lines of a text at their addresses; of a long line only as much as a clip can show.

/** Bytes of the longest code point in any encoding. */
const POINT = 4;

interface LineHead {
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

class LineTexts {
  readonly #source: ByteSource;
  readonly #encoding: TextEncoding;
  readonly #index: LineIndex;
  readonly #characters: number;
  readonly #signal: AbortSignal;

  constructor(source: ByteSource, encoding: TextEncoding, characters: number, signal: AbortSignal) {
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
  async around(start: number, match: number): Promise<ClippedLine> {
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

// Finds the position of the match in an oversized line. ripgrep can report it, but then keeps all matches of a line: a line
// of 64 MB with a match at each byte takes 1.2 GB. So the line is passed to ripgrep in blocks.

const BLOCK = 64 << 10;

/** Blocks overlap by this many bytes; a longer match may be missed. */
const OVERLAP = 1 << 10;

/** The most bytes of lines that are searched in one file; of further lines the start is shown. */
const MAX_LOCATED_BYTES = 256 << 20;

/** `--encoding=none`, because bytes at the start of a block must not be taken for a byte order mark. */
const FLAGS = [
  '--encoding=none',
  '--no-mmap',
  '--line-number',
  '--column',
  '--max-columns=1',
  '--line-buffered',
];

/**
 * Returns, by the offset of each line in `starts` (bytes of a stored UTF-8 text), the offset of its first match; no entry if
 * that was not found. In lines over 64 KiB `^` and `$` also match at the edges of blocks.
 */
async function locateMatches(
  source: ByteSource,
  starts: readonly number[],
  search: SearchRun,
  signal: AbortSignal,
): Promise<Map<number, number>> {
  const blocks: { line: number; at: number }[] = [];
  const found = new Map<number, number>();
  let reading: Promise<Uint8Array> | undefined;

  async function* input(): AsyncGenerator<Uint8Array> {
    let left = MAX_LOCATED_BYTES;
    for (const line of starts) {
      for (let at = line; left > 0 && !found.has(line); at += BLOCK - OVERLAP) {
        reading = readAt(source, at, BLOCK, signal);
        const bytes = Buffer.from(await reading);
        const newline = bytes.indexOf(10);
        left -= bytes.length;
        blocks.push({ line, at });
        yield Buffer.concat([newline === -1 ? bytes : bytes.subarray(0, newline), Buffer.from('\n')]);
        if (newline !== -1 || bytes.length < BLOCK) break;
      }
    }
  }

  const run = search.run(FLAGS, { kind: 'bytes', bytes: input() });
  for await (const batch of splitRecords(run, '\n', BLOCK)) {
    for (const record of batch) {
      const [, no, column] = /^(\d+):(\d+):/.exec(record) ?? [];
      const block = blocks[Number(no) - 1];
      if (block && !found.has(block.line)) found.set(block.line, block.at + Number(column) - 1);
    }
    if (found.size === starts.length) break;
  }
  // Wait for the last read, because the caller closes the file.
  await reading?.catch(() => undefined);
  return found;
}

/** The most bytes of a line of Markdown whose text is searched. */
const MAX_MARKDOWN_LINE_BYTES = 1 << 20;

/** Adds to `found` the first matches in the texts of the lines of Markdown that begin at `starts`. */
async function locateInPlain(
  source: ByteSource,
  starts: readonly number[],
  search: SearchRun,
  found: Map<number, number>,
  signal: AbortSignal,
): Promise<void> {
  const begins: number[] = [];
  const lines: string[] = [];
  const plain: Buffer[] = [];
  let size = 0;
  for (const start of starts) {
    const bytes = Buffer.from(await readAt(source, start, MAX_MARKDOWN_LINE_BYTES, signal));
    const newline = bytes.indexOf(10);
    const line = bytes.toString('utf8', 0, newline === -1 ? bytes.length : newline);
    const text = Buffer.from(`${plainMarkdown(line)}\n`);
    begins.push(size);
    lines.push(line);
    plain.push(text);
    size += text.length;
  }
  const matches = await locateMatches(memoryBytes(Buffer.concat(plain)), begins, search, signal);
  for (const [i, start] of starts.entries()) {
    const at = matches.get(begins[i] as number);
    if (at === undefined) continue;
    const before = (plain[i] as Buffer).toString('utf8', 0, at - (begins[i] as number));
    const line = lines[i] as string;
    found.set(start, start + Buffer.byteLength(line.slice(0, markdownOffset(line, before.length))));
  }
}

// Clips a long line to a number of code points, from its start or around a match.

interface ClippedLine {
  readonly text: string;
  readonly clipped?: 'start' | 'end' | 'both' | undefined;
}

/** The first `most` code points of a line. `text` is the known part of it; `whole` says that it is the complete line. */
export function clipHead(text: string, most: number, whole: boolean): ClippedLine {
  const head = text.length <= most ? text : [...text].slice(0, most).join('');
  return head === text && whole ? { text } : { text: head, clipped: 'end' };
}

interface MatchSurroundings {
  /** The known text before the match, and from the match on. */
  readonly before: string;
  readonly after: string;
  /** Whether these reach the start and the end of the line. */
  readonly fromStart: boolean;
  readonly toEnd: boolean;
}

/** Clips to `most` code points: a third of them before the match, more if there are fewer after it. */
export function clipAround(
  { before, after, fromStart, toEnd }: MatchSurroundings,
  most: number,
): ClippedLine {
  const [known, rest] = [[...before], [...after]];
  const behind = Math.min(rest.length, most - Math.floor(most / 3));
  const head = known.slice(Math.max(0, known.length - (most - behind)));
  const tail = rest.slice(0, most - head.length);
  const start = head.length < known.length || !fromStart;
  const end = tail.length < rest.length || !toEnd;
  const clipped = start ? (end ? 'both' : 'start') : end ? 'end' : undefined;
  return { text: head.join('') + tail.join(''), clipped: clipped || undefined };
}
