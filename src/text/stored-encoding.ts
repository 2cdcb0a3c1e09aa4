/** Finds the encoding of a stored text: from its byte order mark, from its declaration, or by a guess if it is not UTF-8. */

import type { Encoding } from '../types/encoding.ts';
import { encodingNamed, HEAD_BYTES, storedEncoding } from './encoding.ts';
import { type Analyse, GUESSED_BY, type Guess, guessOf, isUtf8Start } from './guess.ts';
import { encodingAtEnd } from './legacy.ts';

/** Bytes at the end of a text that are searched for a mode line. */
export const END_BYTES = 1024;

/** The encoding to try if no other is more likely. */
const USUAL = 'windows-1252';

/** The encoding of a complete text in memory. `library` loads the analysis, which is needed only if it is not UTF-8. */
export function encodingOfText(bytes: Uint8Array, library: () => Analyse): Encoding {
  const head = bytes.subarray(0, HEAD_BYTES);
  const stored = storedEncoding(head);
  if (!isUndeclared(stored)) return stored;
  const declared = isUtf8Start(head) ? undefined : declaredAtEnd(bytes.subarray(-END_BYTES), head);
  if (declared) return declared;
  const start = bytes.subarray(0, GUESSED_BY);
  return guessed(stored, isUtf8Start(start) ? {} : guessOf(start, library()), head);
}

/** Whether the text has neither a byte order mark nor a declaration. */
export function isUndeclared({ name, bom, known }: Encoding): boolean {
  return name === 'utf-8' && bom === 0 && known === undefined;
}

/** Only for texts whose beginning is not valid UTF-8. */
export function declaredAtEnd(tail: Uint8Array, head: Uint8Array): Encoding | undefined {
  const label = encodingAtEnd(tail);
  const named = label === undefined ? undefined : encodingNamed(label, 'declared', head);
  return named?.legacy ? named : undefined;
}

/** The encoding of an accepted guess; otherwise `stored`, with the encoding to try if it has invalid sequences. */
export function guessed(stored: Encoding, { sure, perhaps = USUAL }: Guess, head: Uint8Array): Encoding {
  const named = sure === undefined ? undefined : encodingNamed(sure, 'guessed', head);
  return named ?? { ...stored, perhaps };
}
