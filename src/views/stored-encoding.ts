/** The encoding of a stored text: by its mark, by what it declares, or by a guess where it is not UTF-8. */

import { headOf, readAt } from '../access/bytes.ts';
import { encodingNamed, storedEncoding } from '../text/encoding.ts';
import { GUESSED_BY, type Guess, guessOf, isUtf8Start } from '../text/guess.ts';
import { encodingAtEnd } from '../text/legacy.ts';
import type { ByteSource } from '../types/byte-source.ts';
import type { Call } from '../types/call.ts';
import type { Encoding } from '../types/encoding.ts';
import type { Kind } from '../types/store.ts';

/** Bytes in which the last lines of a text are looked for. */
const END_BYTES = 1024;

/** What is tried where nothing is likelier. */
const USUAL = 'windows-1252';

const guesses: Kind<Guess> = { name: 'encoding', weigh: () => ({ memory: 0 }) };

/** The same for the same bytes, whatever part of them is read. */
export async function encodingOf(bytes: ByteSource, call: Call): Promise<Encoding> {
  const head = await headOf(bytes, call.signal);
  const stored = storedEncoding(head);
  if (!isPlain(stored)) return stored;
  const begins = isUtf8Start(head);
  if (!begins) {
    const declared = await declaredAtEnd(bytes, head, call.signal);
    if (declared) return declared;
  }
  if (begins && bytes.size !== undefined && bytes.size <= head.length) return stored;
  const { sure, perhaps = USUAL } = await guessed(bytes, call);
  const named = sure === undefined ? undefined : encodingNamed(sure, 'guessed', head);
  return named ?? { ...stored, perhaps };
}

/** Neither a mark nor a declaration says what it is. */
function isPlain({ name, bom, known }: Encoding): boolean {
  return name === 'utf-8' && bom === 0 && known === undefined;
}

/** Asked of texts alone that do not begin as UTF-8: all others are spared the way to their end. */
async function declaredAtEnd(
  bytes: ByteSource,
  head: Uint8Array,
  signal: AbortSignal,
): Promise<Encoding | undefined> {
  if (bytes.size === undefined || bytes.streamed) return undefined;
  const tail = await readAt(bytes, Math.max(0, bytes.size - END_BYTES), END_BYTES, signal);
  const declared = encodingAtEnd(tail);
  const named = declared === undefined ? undefined : encodingNamed(declared, 'declared', head);
  return named?.legacy ? named : undefined;
}

/** Of a stream no more is read for it than its first bytes. */
async function guessed(bytes: ByteSource, call: Call): Promise<Guess> {
  if (bytes.streamed) return guessIn(await headOf(bytes, call.signal));
  const make = async ({ source, signal }: { readonly source: ByteSource; readonly signal: AbortSignal }) => ({
    value: await guessIn(await readAt(source, 0, GUESSED_BY, signal)),
    keep: true,
  });
  return call.session.store.get(guesses, bytes, {}, make, call);
}

/** The library is loaded for texts alone that are not UTF-8. */
async function guessIn(start: Uint8Array): Promise<Guess> {
  if (isUtf8Start(start)) return {};
  const { analyse } = await import('chardet');
  return guessOf(start, analyse);
}
