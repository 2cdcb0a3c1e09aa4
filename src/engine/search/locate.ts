/**
 * Finds the position of the match in an oversized line. ripgrep can report it, but then keeps all matches of a line: a line
 * of 64 MB with a match at each byte takes 1.2 GB. So the line is passed to ripgrep in blocks.
 */

import { readAt } from '../../access/bytes.ts';
import { records } from '../../access/ripgrep.ts';
import type { ByteSource } from '../../types/byte-source.ts';
import type { Search } from './search-run.ts';

const BLOCK = 64 << 10;

/** Blocks overlap by this many bytes; a longer match may be missed. */
const OVERLAP = 1 << 10;

/** The most bytes of lines that are searched in one file; of further lines the start is shown. */
const MOST = 256 << 20;

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
  // Wait for the last read, because the caller closes the file.
  await reading?.catch(() => undefined);
  return found;
}
