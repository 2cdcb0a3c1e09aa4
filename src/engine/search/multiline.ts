/**
 * Multi-line matches. Each text is one NUL-terminated record for ripgrep, so that no match extends from one text into the
 * next. The lines that a match covers are found in the searched bytes.
 */

import type { RipgrepInput } from '../../access/ripgrep.ts';
import { setImmediate } from 'node:timers/promises';
import type { Address } from './match-addresses.ts';
import { LineCursor } from './line-cursor.ts';
import { isLate } from './may-match.ts';
import type { Search } from './search-run.ts';

/** The most bytes of a text that is searched with `multiline`: the whole text is in memory, here and in ripgrep. */
export const MOST_WHOLE = 16 << 20;

export const MULTILINE_FLAGS = [
  '--null-data',
  '--only-matching',
  '--byte-offset',
  '--no-line-number',
  '--encoding=none',
  '--no-mmap',
];

/** The offsets of a match in the input: `from` inclusive, `to` exclusive. */
export interface Match {
  readonly from: number;
  readonly to: number;
}

const COLON = 58;

/** Parses records of the form `FROM:match NUL`. A match may be of any size; it is not kept. */
export async function* matchesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<Match[], void> {
  let digits = '';
  /** The length of the match so far; undefined while its offset is read. */
  let length: number | undefined;
  for await (const chunk of chunks) {
    const batch: Match[] = [];
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
export async function* linesThatMatch(text: Uint8Array, search: Search): AsyncGenerator<Address[], void> {
  const run = search.run(MULTILINE_FLAGS, bytesOnce(text));
  const cursor = new LineCursor(text, search.scope);
  for await (const matches of matchesOf(run)) {
    yield* inBatches(linesOf(matches, cursor), search);
  }
  yield* inBatches(cursor.rest(), search);
  search.judge(run.outcome);
}

function* linesOf(matches: readonly Match[], cursor: LineCursor): Generator<Address, void> {
  for (const { from, to } of matches) yield* cursor.take(from, to);
}

/** Lines per batch: a match may cover millions of lines. */
const AT_ONCE = 4096;

/** Groups items into batches; stops at the deadline of the search. */
export async function* inBatches<T>(items: Iterable<T>, search: Search): AsyncGenerator<T[], void> {
  let batch: T[] = [];
  for (const item of items) {
    batch.push(item);
    if (batch.length < AT_ONCE) continue;
    yield batch;
    batch = [];
    await setImmediate();
    if (isLate(search)) return;
  }
  if (batch.length > 0) yield batch;
}

function bytesOnce(text: Uint8Array): RipgrepInput {
  async function* bytes(): AsyncGenerator<Uint8Array, void> {
    yield text;
  }
  return { is: 'bytes', bytes: bytes() };
}
