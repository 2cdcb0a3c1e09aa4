/** A cached value in parts that are read piece by piece, so that a large value is never in memory as a whole. */

import type { CachePart } from '../types/session.ts';

export function lengthOf(parts: readonly CachePart[]): number {
  return parts.reduce((sum, { length }) => sum + length, 0);
}

/** Bytes `start` (0-based) to `start + length` (exclusive) of all parts together; fewer only at the end. */
export async function readParts(
  parts: readonly CachePart[],
  start: number,
  length: number,
): Promise<Uint8Array> {
  const found: Uint8Array[] = [];
  let at = 0;
  for (const part of parts) {
    const from = Math.max(0, start - at);
    const to = Math.min(part.length, start + length - at);
    if (from < to) found.push(await readPart(part, from, to));
    at += part.length;
  }
  return found.length === 1 ? (found[0] as Uint8Array) : Buffer.concat(found);
}

async function readPart(part: CachePart, from: number, to: number): Promise<Uint8Array> {
  if (part instanceof Uint8Array) return part.subarray(from, to);
  const bytes = await part.read(from, to - from);
  if (bytes.length < to - from) throw new Error('a part has become shorter');
  return bytes;
}
