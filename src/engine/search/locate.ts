/**
 * Finds where in a long line the match is. ripgrep could say it itself, but keeps every match of a line
 * to do so: a line of 64 MB with a match at each byte costs it 1.2 GB. So the line is given to it in blocks.
 */

import { readAt } from '../../access/bytes.ts';
import { records } from '../../access/ripgrep.ts';
import type { ByteSource } from '../../types/byte-source.ts';
import type { Search } from './search-run.ts';

const BLOCK = 64 << 10;

/** Blocks overlap by this many bytes: a longer match may be missed. */
const OVERLAP = 1 << 10;

/** Bytes of lines that are searched in one file; for further lines the head is shown. */
const MOST = 256 << 20;

/** The blocks are bytes of a text whose mark was left out: none may be taken for one. */
const FLAGS = [
  '--encoding=none',
  '--no-mmap',
  '--line-number',
  '--column',
  '--max-columns=1',
  '--line-buffered',
];

/**
 * For each line that begins at one of `starts` (stored bytes, UTF-8), the stored byte of its first match, or
 * undefined if it was not found. In lines over 64 KiB `^` and `$` also match at the edges of blocks.
 */
export async function locateMatches(
  source: ByteSource,
  starts: readonly number[],
  search: Search,
  signal: AbortSignal,
): Promise<Map<number, number>> {
  const blocks: { line: number; at: number }[] = [];
  const found = new Map<number, number>();
  let reading: Promise<Uint8Array> | undefined;

  async function* input(): AsyncGenerator<Uint8Array> {
    let left = MOST;
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

  const run = search.run(FLAGS, { is: 'bytes', bytes: input() });
  for await (const batch of records(run, '\n', BLOCK)) {
    for (const record of batch) {
      const [, no, column] = /^(\d+):(\d+):/.exec(record) ?? [];
      const block = blocks[Number(no) - 1];
      if (block && !found.has(block.line)) found.set(block.line, block.at + Number(column) - 1);
    }
    if (found.size === starts.length) break;
  }
  // The caller closes the file: no read may be under way then.
  await reading?.catch(() => undefined);
  return found;
}
