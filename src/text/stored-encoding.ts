/** How the encoding of a stored text is told: by its mark, by what it declares, otherwise by a guess where it is not UTF-8. */

import type { Encoding } from '../types/encoding.ts';
import { encodingNamed, HEAD_BYTES, storedEncoding } from './encoding.ts';
import { type Analyse, GUESSED_BY, type Guess, guessOf, isUtf8Start } from './guess.ts';
import { encodingAtEnd } from './legacy.ts';

/** Bytes in which the last lines of a text are looked for. */
export const END_BYTES = 1024;

/** What is tried where nothing is likelier. */
const USUAL = 'windows-1252';

/** The encoding of a text of which all bytes are there. `library` is asked for where they are not UTF-8. */
export function encodingOfText(bytes: Uint8Array, library: () => Analyse): Encoding {
  const head = bytes.subarray(0, HEAD_BYTES);
  const stored = storedEncoding(head);
  if (!isUndeclared(stored)) return stored;
  const declared = isUtf8Start(head) ? undefined : declaredAtEnd(bytes.subarray(-END_BYTES), head);
  if (declared) return declared;
  const start = bytes.subarray(0, GUESSED_BY);
  return guessed(stored, isUtf8Start(start) ? {} : guessOf(start, library()), head);
}

/** Neither a mark nor a declaration says what it is. */
export function isUndeclared({ name, bom, known }: Encoding): boolean {
  return name === 'utf-8' && bom === 0 && known === undefined;
}

/** For texts alone that do not begin as UTF-8. */
export function declaredAtEnd(tail: Uint8Array, head: Uint8Array): Encoding | undefined {
  const label = encodingAtEnd(tail);
  const named = label === undefined ? undefined : encodingNamed(label, 'declared', head);
  return named?.legacy ? named : undefined;
}

/** A sure guess; otherwise `stored` with the encoding to try. */
export function guessed(stored: Encoding, { sure, perhaps = USUAL }: Guess, head: Uint8Array): Encoding {
  const named = sure === undefined ? undefined : encodingNamed(sure, 'guessed', head);
  return named ?? { ...stored, perhaps };
}
