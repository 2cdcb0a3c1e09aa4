/** Whole answers on record in `test/fixtures/answers`; `vitest -u` writes them anew. */

import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';

/** Expects what `text` answers to each path, one after the other, to be as on record. */
export async function expectAsRecorded(
  record: string,
  paths: readonly string[],
  text: (path: string) => Promise<string>,
): Promise<void> {
  const answers: string[] = [];
  for (const path of paths) answers.push(`=== ${path}\n${await text(path)}\n`);
  const file = fileURLToPath(new URL(`../fixtures/answers/${record}.txt`, import.meta.url));
  await expect(answers.join('')).toMatchFileSnapshot(file);
}

/** By name: the file, copies with one byte changed from place to place, and its beginnings. */
export function damagedCopies(name: string, bytes: Uint8Array, count: number): Map<string, Uint8Array> {
  const copies = new Map([[name, bytes]]);
  for (let at = 0; at < count; at += 1) {
    const copy = Uint8Array.from(bytes);
    const place = (at * 7919) % copy.length;
    copy[place] = at % 3 === 0 ? 0xff : at % 3 === 1 ? 0 : (copy[place] ?? 0) ^ (1 << (at % 8));
    copies.set(`${at}-${name}`, copy);
  }
  for (const size of count > 9 ? [0, 3, 4, 12, 100, bytes.length - 1] : [])
    copies.set(`cut-${size}-${name}`, bytes.subarray(0, size));
  return copies;
}
