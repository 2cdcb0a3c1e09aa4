/** Whether a text inside a container is worth a process, and whether there is time left for it. */

import { readAt } from '../../access/bytes.ts';
import type { ByteSource } from '../../types/byte-source.ts';
import type { Encoding } from '../../types/encoding.ts';
import type { Search } from './search-run.ts';

/** Records a gap if the time is up. */
export function isLate(search: Search): boolean {
  const late = performance.now() > search.deadline;
  search.gaps.timedOut ||= late;
  return late;
}

/** Texts up to this many bytes are looked through before a process is begun for one. */
const LOOKED_THROUGH = 1 << 20;

/**
 * Whether the text contains the needle. A text that is not UTF-8 may contain it in other bytes, so ripgrep
 * must decode it.
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
