/** The converting child, and the limits of converting one document. */

import type { Want } from './document-protocol.ts';

/** The built entry, below `dist/`. */
export const CONVERTER = 'sources/document/convert-child.js';

export const MIB = 1024 * 1024;

/** Bytes of a stored document. */
export const MOST_STORED = 128 * MIB;

/** Milliseconds of one conversion. */
export const MOST_MS = 15_000;

/** Bytes of converted text. */
export const MOST_TEXT = 16 * MIB;

/** The same of a text that is searched and not read: the rows of all sheets. */
export const MOST_SEARCHED = 64 * MIB;

/** Bytes of a reply of the child: a text, or the tables of a workbook. */
export const MOST_REPLY = 96 * MIB;

/** Resident bytes of a child that converts anything at all, and the most. */
const LEAST_MEMORY = 256 * MIB;
const MOST_MEMORY = 1024 * MIB;

/** Bytes that a converter may need for each stored byte: sheets are compressed well. */
const MEMORY_PER_BYTE = 64;

/** Resident bytes that drawing may take, or decoding an image: the need follows its pixels, and a scan is stored in few bytes. */
const PICTURE_MEMORY = 768 * MIB;

/** Resident bytes of the child. A small document that takes hundreds of megabytes for its text is a bomb. */
export function mostMemory(stored: number, { is }: Want): number {
  if (is === 'picture') return PICTURE_MEMORY;
  return Math.min(MOST_MEMORY, LEAST_MEMORY + Math.ceil((MEMORY_PER_BYTE * stored) / MIB) * MIB);
}
