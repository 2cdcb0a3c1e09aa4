/** Records shown lines of a file version in the snapshots, so that an edit can name a line by tag and number. */

import { createHash } from 'node:crypto';
import { readAt } from '../access/bytes.ts';
import type { ByteSource } from '../types/byte-source.ts';
import type { Call } from '../types/call.ts';

/** Files of up to this many bytes are identified by a digest of their content, larger ones by their version. */
const HASH_UP_TO = 1 << 20;

/** Returns the tag of this version of the file at `path`, and records `lines` (1-based number, stored text) as shown. */
export async function takeSnapshot(
  bytes: ByteSource,
  path: string,
  lines: Iterable<readonly [number, string]>,
  call: Call,
): Promise<string> {
  const { snapshots } = call.session;
  const size = bytes.size ?? Number.POSITIVE_INFINITY;
  const content = size <= HASH_UP_TO ? await readAt(bytes, 0, size, call.signal) : bytes.identity.key;
  const digest = createHash('sha256').update(content).digest('hex');
  const tag = snapshots.tag(path, digest);
  snapshots.see(path, tag, lines);
  return tag;
}
