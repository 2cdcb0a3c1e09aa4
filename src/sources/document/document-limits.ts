/** The entry of the converting child process, and the limits of a conversion. */

import type { Want } from './document-protocol.ts';

/** The built entry file, relative to `dist/`. */
export const CONVERTER = 'sources/document/convert-child.js';

/** The code of the converter, with its libraries: its file names its chunks by their digests. */
export const CONVERTER_REALM = 'sources/document/convert-realm.cjs';

export const MIB = 1024 * 1024;

/** The most bytes of a stored document. */
export const MOST_STORED = 128 * MIB;

/** The timeout of one conversion in ms. */
export const MOST_MS = 15_000;

/** The most bytes of converted text. */
export const MOST_TEXT = 16 * MIB;

/** The most bytes of a converted text that is only searched, such as the rows of all sheets. */
export const MOST_SEARCHED = 64 * MIB;

/** The most bytes of a reply of the child process: a text, or the tables of a workbook. */
export const MOST_REPLY = 96 * MIB;

/** The memory limit (resident bytes) of a child process for the smallest and for the largest document. */
const LEAST_MEMORY = 256 * MIB;
const MOST_MEMORY = 1024 * MIB;

/** Bytes of memory that a converter may take for each stored byte; sheets are highly compressed. */
const MEMORY_PER_BYTE = 64;

/** The memory limit for rendering a page or decoding an image. It depends on pixels, not on stored bytes. */
const PICTURE_MEMORY = 768 * MIB;

/** The memory limit (resident bytes) of the child. A small document that needs hundreds of megabytes for text is a bomb. */
export function mostMemory(stored: number, { is }: Want): number {
  if (is === 'picture') return PICTURE_MEMORY;
  return Math.min(MOST_MEMORY, LEAST_MEMORY + Math.ceil((MEMORY_PER_BYTE * stored) / MIB) * MIB);
}
