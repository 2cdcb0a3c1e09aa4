/** The SHA-256 of bytes in memory, computed in pieces so that the event loop is not blocked. */

import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';

/** Bytes that are hashed before the event loop runs again: 2 ms. */
const PIECE = 512 << 10;

/** Hexadecimal. */
export async function sha256Of(bytes: Uint8Array): Promise<string> {
  const digest = createHash('sha256');
  for (let at = 0; at < bytes.length; at += PIECE) {
    if (at > 0) await setImmediate();
    digest.update(bytes.subarray(at, at + PIECE));
  }
  return digest.digest('hex');
}
