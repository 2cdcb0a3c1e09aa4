/** Reads the texts of the lines of an answer from the bytes that were searched. */

import type { Call } from '../../types/call.ts';
import type { SearchRequest } from '../../types/request.ts';
import type { MatchedFile, MatchedLine } from '../../types/result.ts';
import { type Clipped, clipHead } from './clip.ts';
import { type LineHead, LineTexts } from './line-texts.ts';
import { locateMatches } from './locate.ts';
import type { Search } from './search-run.ts';
import type { Quotable } from './search-input.ts';

interface QuoteOptions {
  readonly clip: SearchRequest['clip'];
  /** The remaining bytes of the answer. */
  readonly room: number;
  readonly signal: AbortSignal;
}

/** The lines of one file, clipped. */
async function quoteLines(
  { source, encoding, file }: Quotable,
  search: Search,
  { clip, room, signal }: QuoteOptions,
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
    bytes += head.whole ? Buffer.byteLength(head.text) : clip.characters;
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
  const lines: MatchedLine[] = [];
  for (const { address, start, text: head, whole } of heads) {
    const match = matches.get(start);
    const clipped: Clipped =
      match === undefined ? clipHead(head, clip.characters, whole) : await text.around(start, match);
    lines.push({ no: address.no, ...(address.rank !== undefined && { rank: address.rank }), ...clipped });
  }
  return lines;
}

/** Collects the texts of a page's files until the answer is full. */
export class Quotes {
  readonly files: MatchedFile[] = [];
  #room: number;
  readonly #search: Search;
  readonly #clip: SearchRequest['clip'];
  readonly #call: Call;

  constructor(search: Search, clip: SearchRequest['clip'], call: Call) {
    this.#search = search;
    this.#clip = clip;
    this.#call = call;
    this.#room = call.limits.bytes;
  }

  /** Adds the lines of one file, shown as `path`. Undefined if the answer is full, or if none of the lines exists any more. */
  async add(path: string, quotable: Quotable): Promise<MatchedFile | undefined> {
    if (this.#room < 0) return undefined;
    const { signal } = this.#call;
    const options = { clip: this.#clip, room: this.#room, signal };
    const lines = await quoteLines(quotable, this.#search, options);
    if (lines.length === 0) return undefined;
    for (const line of lines) this.#room -= Buffer.byteLength(line.text);
    const { guessed } = quotable;
    const quoted = { path, lines, ...(guessed !== undefined && { guessed }) };
    this.files.push(quoted);
    return quoted;
  }
}
