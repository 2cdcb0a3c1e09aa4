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

/**
 * Whether the text may contain the needle (the literal that every match contains). True for texts that are not UTF-8,
 * because they contain it in other bytes and ripgrep must decode them.
 */
export async function mayMatch(
  bytes: ByteSource,
  { unit, legacy }: Encoding,
  { needle }: Search,
  signal: AbortSignal,
): Promise<boolean> {
  if (
    unit !== 1 ||
    legacy ||
    needle === undefined ||
    (bytes.size ?? Number.POSITIVE_INFINITY) > LOOKED_THROUGH
  )
    return true;
  const read = await readAt(bytes, 0, bytes.size ?? 0, signal);
  const content = Buffer.from(read.buffer, read.byteOffset, read.length);
  return content.includes(needle);
}
