/** The entry of the converting child process, and the limits of a conversion. */

import type { DocumentPart } from './protocol.ts';

/** The built entry file, relative to `dist/`. */
export const CONVERTER = 'formats/document/convert-child.js';

/** The code of the converter, with its libraries: its file names its chunks by their digests. */
export const CONVERTER_REALM = 'formats/document/convert-realm.cjs';

export const MIB = 1024 * 1024;

/** The most bytes of a stored document. */
export const MAX_DOCUMENT_BYTES = 128 * MIB;

/** The timeout of one conversion in ms. */
export const MAX_CONVERSION_MS = 15_000;

/** The most bytes of converted text. */
export const MAX_DOCUMENT_TEXT_BYTES = 16 * MIB;

/** The most bytes of a converted text that is only searched, such as the rows of all sheets. */
export const MAX_SEARCHED_DOCUMENT_BYTES = 64 * MIB;

/** The most bytes of a reply of the child process: a text, or the tables of a workbook. */
export const MAX_CONVERSION_REPLY_BYTES = 96 * MIB;

/** The memory limit (resident bytes) of a child process for the smallest and for the largest document. */
const MIN_CONVERTER_MEMORY_BYTES = 256 * MIB;
const MAX_CONVERTER_MEMORY_BYTES = 1024 * MIB;

/** Bytes of memory that a converter may take for each stored byte; sheets are highly compressed. */
const MEMORY_PER_BYTE = 64;

/** The memory limit for rendering a page or decoding an image. It depends on pixels, not on stored bytes. */
const PICTURE_MEMORY = 768 * MIB;

/** The memory limit (resident bytes) of the child. A small document that needs hundreds of megabytes for text is a bomb. */
export function maxConverterMemory(stored: number, { kind }: DocumentPart): number {
  if (kind === 'picture') return PICTURE_MEMORY;
  return Math.min(
    MAX_CONVERTER_MEMORY_BYTES,
    MIN_CONVERTER_MEMORY_BYTES + Math.ceil((MEMORY_PER_BYTE * stored) / MIB) * MIB,
  );
}

// The failures of conversions, as clauses that complete "Cannot read .pdf file: ".

type Failure = readonly ['LIMIT' | 'CORRUPT', string];

const FAILURES: Readonly<Record<string, (stored: number, want: DocumentPart) => Failure>> = {
  crashed: () => ['CORRUPT', 'its converter crashed on it, so it is probably damaged'],
  slow: () => ['LIMIT', `converting it takes longer than ${MAX_CONVERSION_MS / 1000} seconds`],
  memory: (stored, want) => [
    'LIMIT',
    `converting it takes more than the ${maxConverterMemory(stored, want) / MIB} MiB of memory allowed`,
  ],
  output: () => ['LIMIT', `it converts to more than ${MAX_CONVERSION_REPLY_BYTES / MIB} MiB`],
  worker: () => ['LIMIT', 'every worker that converted it ended; it is tried again after 10 minutes'],
};

/** The failure of converting a document of `stored` bytes; undefined if the cause is not the document. */
export function failureOf(why: string, stored: number, want: DocumentPart): Failure | undefined {
  return Object.hasOwn(FAILURES, why) ? FAILURES[why]?.(stored, want) : undefined;
}
