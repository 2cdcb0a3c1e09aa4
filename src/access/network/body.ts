/** The body of a reply, unpacked, of which everything is bounded: its bytes, and what it unpacks to. */

import { type Duplex, pipeline, Readable, Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { OrielError } from '../../errors.ts';
import { quote } from '../../text/visible.ts';
import { createAnyInflate } from './inflate.ts';
import { networkError } from './network-error.ts';

/** Names in lower case; several values joined by `, `. */
export type Headers = Readonly<Record<string, string>>;

/** What is asked of a body. */
export interface BodyOptions {
  /** As it is stored, whatever it is packed with: ranges are parts of that. */
  readonly stored?: true;
  readonly signal: AbortSignal;
  /** Bytes of the body as it unpacks, by what the headers say of it. */
  readonly mostBytes: (headers: Headers) => number;
}

/** A body may unpack to this many times its size beyond the first 1 MiB. */
const MOST_RATIO = 200;
const FREE_BYTES = 1 << 20;

/** A connection whose body nobody wants is closed, not drained. */
export function discard(body: Readable): void {
  body.on('error', () => undefined);
  body.destroy();
}

/** Throws `LIMIT`, `CORRUPT`, and what `networkError` makes of a failure. */
export async function bodyOf(
  { body }: Dispatcher.ResponseData,
  headers: Headers,
  { mostBytes, signal, stored }: BodyOptions,
): Promise<{ body: Uint8Array; cut: boolean }> {
  const most = mostBytes(headers);
  const chunks: Uint8Array[] = [];
  let [packed, unpacked] = [0, 0];
  const count = new Transform({
    transform(chunk: Buffer, _, done) {
      packed += chunk.length;
      done(null, chunk);
    },
  });
  try {
    for await (const chunk of piped([body, count, ...decoders(stored ? '' : headers['content-encoding'])])) {
      const room = most - unpacked;
      unpacked += chunk.length;
      if (unpacked > FREE_BYTES && unpacked > packed * MOST_RATIO) {
        throw new OrielError(
          'LIMIT',
          `The body unpacks to more than ${MOST_RATIO} times its size, and is not read.`,
        );
      }
      chunks.push(chunk.subarray(0, room));
      if (chunk.length > room) break;
    }
  } catch (error) {
    // Nothing is packed as nothing.
    const isNothing = packed === 0 && (error as NodeJS.ErrnoException).code === 'Z_BUF_ERROR';
    if (!isNothing) throw networkError(error, undefined, signal);
  } finally {
    discard(body);
  }
  return { body: Buffer.concat(chunks), cut: unpacked > most };
}

/** What comes out of the last stage. Whatever fails in one of them fails there. */
function piped(stages: readonly [Readable, ...Duplex[]]): AsyncIterable<Uint8Array> {
  pipeline(stages as unknown as [Readable, Transform], () => undefined);
  return stages.at(-1) as Readable;
}

/** In the order in which they have to be undone. Throws `LIMIT` and `CORRUPT`. */
function decoders(encoding = ''): Duplex[] {
  const names = encoding
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity');
  if (names.length > 3)
    throw new OrielError('LIMIT', 'The body is packed more than three times, and is not read.');
  return names.toReversed().map((name) => {
    if (name === 'gzip' || name === 'x-gzip') return createGunzip();
    if (name === 'deflate') return createAnyInflate();
    if (name === 'br') return createBrotliDecompress();
    throw new OrielError('CORRUPT', `The body is packed in a way that is not read here: ${quote(name)}.`);
  });
}
