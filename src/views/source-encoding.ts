/** Finds the encoding of a byte source. A guess is cached for each version. */

import { headOf, readAt } from '../access/bytes.ts';
import { storedEncoding } from '../text/encoding.ts';
import { GUESSED_BY, type Guess, guessOf, isUtf8Start } from '../text/guess.ts';
import { declaredAtEnd, END_BYTES, guessed, isUndeclared } from '../text/stored-encoding.ts';
import type { ByteSource } from '../types/byte-source.ts';
import type { Call } from '../types/call.ts';
import type { Encoding } from '../types/encoding.ts';
import type { Computation, Computed, Kind } from '../types/store.ts';

const guesses: Kind<Guess> = { name: 'encoding', weigh: () => ({ memory: 0 }) };

/** The result depends only on the bytes, not on the part that is read. */
export async function encodingOf(bytes: ByteSource, call: Call): Promise<Encoding> {
  const start = headOf(bytes, call.signal);
  const head = start instanceof Promise ? await start : start;
  const stored = storedEncoding(head);
  if (!isUndeclared(stored)) return stored;
  const begins = isUtf8Start(head);
  if (begins && bytes.size !== undefined && bytes.size <= head.length) return stored;
  // The end is not read if the text begins as UTF-8, nor if that would read a stream ahead or take a request to a server.
  if (!begins && bytes.size !== undefined && !bytes.streamed && !bytes.remote) {
    const tail = await readAt(bytes, Math.max(0, bytes.size - END_BYTES), END_BYTES, call.signal);
    const declared = declaredAtEnd(tail, head);
    if (declared) return declared;
  }
  return guessed(stored, await (bytes.streamed ? guessIn(head) : guessFor(bytes, call)), head);
}

async function guessFor(bytes: ByteSource, call: Call): Promise<Guess> {
  const make = async ({ source, signal }: Computation): Promise<Computed<Guess>> => ({
    value: await guessIn(await readAt(source, 0, GUESSED_BY, signal)),
    keep: true,
  });
  return call.session.store.get(guesses, bytes, {}, make, call);
}

/** Loads the library only for texts that are not UTF-8. */
async function guessIn(start: Uint8Array): Promise<Guess> {
  if (isUtf8Start(start)) return {};
  const { analyse } = await import('chardet');
  return guessOf(start, analyse);
}
