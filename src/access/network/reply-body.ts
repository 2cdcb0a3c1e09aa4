/** The unpacked body of a reply, with limits on its packed and unpacked size. */

import { type Duplex, pipeline, type Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { OrielError } from '../../errors.ts';
import { QueueFull, type Slot } from '../../queues/queue.ts';
import { queues } from '../../queues/queue-table.ts';
import { quote } from '../../text/visible.ts';
import { GrowingBytes } from '../../text/growing-bytes.ts';
import { createAnyInflate } from './inflate.ts';
import { networkError } from './network-error.ts';
import { nextTurn } from './body-turns.ts';

/** Names in lower case; several values joined by `, `. */
export type Headers = Readonly<Record<string, string>>;

/** How a body is read. */
export interface BodyOptions {
  /** Do not undo its content encoding: ranges refer to the encoded bytes. */
  readonly stored?: true;
  readonly signal: AbortSignal;
  /** Limit on the unpacked bytes of the body, depending on its headers. */
  readonly mostBytes: (headers: Headers) => number;
}

/** A body may unpack to this many times its size beyond the first 1 MiB. */
const MOST_RATIO = 200;
const FREE_BYTES = 1 << 20;

/** A larger body takes a slot of `queues.bodies` until it is complete. */
const SMALL_BYTES = 1 << 20;

/**
 * Bytes of a body that are buffered before it is read. Each chunk costs microseconds, even one of a single
 * byte, so they are parsed together.
 */
export const BUFFERED_BYTES = 2_048;

/** A connection whose body nobody wants is closed, not drained. */
export function discard(body: Readable): void {
  body.on('error', () => undefined);
  body.destroy();
}

/** Throws `LIMIT`, `CORRUPT`, `BUSY`, and the errors of `networkError`. */
export async function bodyOf(
  { body }: Dispatcher.ResponseData,
  headers: Headers,
  { mostBytes, signal, stored }: BodyOptions,
): Promise<{ body: Uint8Array; cut: boolean }> {
  const most = mostBytes(headers);
  const read = { packed: 0, unpacked: 0 };
  let bytes: GrowingBytes | undefined;
  let slot: Slot | undefined;
  try {
    bytes = new GrowingBytes(most);
    const stages = decoders(stored ? '' : headers['content-encoding']);
    for await (const chunk of unpacked(piecesOf(body, read), stages)) {
      read.unpacked += chunk.length;
      if (read.unpacked > FREE_BYTES && read.unpacked > read.packed * MOST_RATIO) {
        throw new OrielError(
          'LIMIT',
          `The body unpacks to more than ${MOST_RATIO} times its size, and is not read. Use another URL.`,
        );
      }
      if (Math.min(read.unpacked, most) > SMALL_BYTES)
        slot ??= await queues.bodies.acquire({ signal, timed: true });
      bytes.add(chunk);
      if (read.unpacked > most) break;
    }
    return { body: bytes.copy(), cut: read.unpacked > most };
  } catch (error) {
    // The timeout passed while the body waited in the queue.
    if (error instanceof QueueFull) throw error;
    // An empty body is valid, whatever its encoding.
    const isNothing = read.packed === 0 && (error as NodeJS.ErrnoException).code === 'Z_BUF_ERROR';
    if (!isNothing) throw networkError(error, undefined, signal);
    return { body: new Uint8Array(), cut: false };
  } finally {
    discard(body);
    bytes?.free();
    slot?.release();
  }
}

/** Joins the chunks that have arrived to larger pieces, because each piece has a fixed cost in the following stages. */
async function* piecesOf(body: Readable, read: { packed: number }): AsyncGenerator<Uint8Array> {
  for await (const piece of body as AsyncIterable<Uint8Array>) {
    read.packed += piece.length;
    yield piece;
    await nextTurn();
  }
}

/** The output of the last stage, which also throws the errors of earlier stages. */
function unpacked(pieces: AsyncGenerator<Uint8Array>, stages: readonly Duplex[]): AsyncIterable<Uint8Array> {
  const last = stages.at(-1);
  if (!last) return pieces;
  pipeline([pieces, ...stages] as unknown as [Readable, Duplex], () => undefined);
  return last;
}

/** Values that mean no encoding, and wrong values that browsers ignore too. */
const UNPACKED: ReadonlySet<string> = new Set([
  '',
  'identity',
  'none',
  'utf-8',
  'utf8',
  'binary',
  '8bit',
  'aws-chunked',
]);

/** The decoders in the order in which they must be applied. Throws `LIMIT` and `CORRUPT`. */
function decoders(encoding = ''): Duplex[] {
  const names = encoding
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => !UNPACKED.has(name));
  if (names.length > 3)
    throw new OrielError(
      'LIMIT',
      'The body has more than three content encodings, and is not read. Use another URL.',
    );
  return names.toReversed().map((name) => {
    if (name === 'gzip' || name === 'x-gzip') return createGunzip();
    if (name === 'deflate') return createAnyInflate();
    if (name === 'br') return createBrotliDecompress();
    throw new OrielError(
      'CORRUPT',
      `The body has an unsupported content encoding: ${quote(name.slice(0, 40))}. Use another URL.`,
    );
  });
}
