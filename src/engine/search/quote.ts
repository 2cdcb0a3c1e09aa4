/**
 * Owns the texts of an answer: each line is read again through the roots, at its address. ripgrep went by names, and
 * a name may have led elsewhere while it looked; what does not open inside now, or has no line there, is left out.
 */

import { headOf } from '../../access/bytes.ts';
import { OrielError } from '../../errors.ts';
import { detectEncoding } from '../../text/encoding.ts';
import type { ByteSource } from '../../types/byte-source.ts';
import type { Call } from '../../types/call.ts';
import type { SearchRequest } from '../../types/request.ts';
import type { MatchedFile, MatchedLine } from '../../types/result.ts';
import { type Clipped, clipHead } from './clip.ts';
import { type LineHead, LineTexts } from './line-texts.ts';
import { locateMatches } from './locate.ts';
import type { AddressedFile } from './page.ts';
import type { Search } from './search-run.ts';

export interface QuoteOptions {
  readonly clip: SearchRequest['clip'];
  /** Bytes of text after which the answer is full anyway. */
  readonly room: number;
  readonly signal: AbortSignal;
}

/** The lines of one file, clipped. `source` is the file as it opened inside the roots. */
export async function quoteLines(
  source: ByteSource,
  file: AddressedFile,
  search: Search,
  { clip, room, signal }: QuoteOptions,
): Promise<MatchedLine[]> {
  const encoding = detectEncoding(await headOf(source, signal));
  const text = new LineTexts(source, encoding, clip.characters, signal);
  const heads: LineHead[] = [];
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

/** Texts of a page's files until they fill the answer. */
export async function quoteFiles(
  files: readonly AddressedFile[],
  { limits, signal }: Call,
  quoteFile: (file: AddressedFile, room: number) => Promise<MatchedFile>,
): Promise<MatchedFile[]> {
  const quoted: MatchedFile[] = [];
  let room = limits.bytes;
  for (const file of files) {
    if (room < 0) break;
    const found = await quoteFile(file, room).catch((error: unknown) => {
      signal.throwIfAborted();
      if (error instanceof OrielError) return undefined;
      throw error;
    });
    if (!found || found.lines.length === 0) continue;
    for (const line of found.lines) room -= Buffer.byteLength(line.text);
    quoted.push(found);
  }
  return quoted;
}
