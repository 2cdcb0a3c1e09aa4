/** Checks before a ripgrep process is started for a text inside a container: can it match, and is there time left? */

import { readAt } from '../../access/bytes.ts';
import type { ByteSource } from '../../types/byte-source.ts';
import type { Encoding } from '../../types/encoding.ts';
import type { Search } from './search-run.ts';

/** Whether the deadline of the search has passed; if so, it is recorded as a gap. */
export function isLate(search: Search): boolean {
  const late = performance.now() > search.deadline;
  search.gaps.timedOut ||= late;
  return late;
}

/** Texts of up to this many bytes are searched for the needle before a process is started. */
const LOOKED_THROUGH = 1 << 20;

/** The first read of a text of unknown size, such as a packed member: most are shorter. */
const FIRST_READ = 64 << 10;

/**
 * Whether the text may contain the needle (the literal that every match contains). True for texts that are not UTF-8,
 * because they contain it in other bytes and ripgrep must decode them, and for texts that cannot be read: the search
 * reports why.
 */
export async function mayMatch(
  bytes: ByteSource,
  { unit, legacy }: Encoding,
  { needle }: Search,
  signal: AbortSignal,
): Promise<boolean> {
  if (unit !== 1 || legacy || needle === undefined) return true;
  const content = await wholeOf(bytes, signal).catch(() => undefined);
  return content?.includes(needle) ?? true;
}

/** The bytes of a text; undefined if there are more than `LOOKED_THROUGH`. */
async function wholeOf(bytes: ByteSource, signal: AbortSignal): Promise<Buffer | undefined> {
  const { size } = bytes;
  if (size !== undefined && size > LOOKED_THROUGH) return undefined;
  for (const most of size === undefined ? [FIRST_READ, LOOKED_THROUGH + 1] : [size + 1]) {
    const read = await readAt(bytes, 0, most, signal);
    if (read.length < most) return Buffer.from(read.buffer, read.byteOffset, read.length);
  }
  return undefined;
}
