/** Has a document converted in a child process, once for each version of it and each part that is asked for. */

import { createHash, type Hash } from 'node:crypto';
import { chunksOf } from '../../access/bytes.ts';
import { ChildFailure } from '../../access/isolate-child.ts';
import { ChildPool } from '../../access/isolate-warm.ts';
import { builtFile } from '../../access/package-files.ts';
import { withProgress } from '../../access/progress-timer.ts';
import { OrielError } from '../../errors.ts';
import { queues } from '../../queues/table.ts';
import type { ByteSource } from '../../types/byte-source.ts';
import type { Call } from '../../types/call.ts';
import type { Kind, Made, Making } from '../../types/store.ts';
import type { ScratchFile } from '../../types/session.ts';
import { bodyOf, MOST_IN_MEMORY, weightOf } from './body.ts';
import { CachedConversion } from './cached-conversion.ts';
import {
  CONVERTER,
  MIB,
  MOST_MS,
  MOST_REPLY,
  MOST_STORED,
  MOST_TEXT,
  mostMemory,
} from './document-limits.ts';
import type { Conversion, Job, Reply, Want } from './protocol.ts';

export type ConversionOptions = { want: string; password?: string };

export const conversions: Kind<Conversion, ConversionOptions> = {
  name: 'document',
  weigh: ({ body }) => weightOf(body),
  dispose: ({ body }) => body.close?.(),
};

const children = new ChildPool({
  entry: () => builtFile(CONVERTER),
  queue: queues.documents,
  // It stays while a document is paged through.
  idleMs: 20_000,
  heapMb: 768,
  keepUpTo: 200 * MIB,
});

export interface Order {
  readonly want: Want;
  readonly password?: string;
}

export function optionsOf({ want, password }: Order): ConversionOptions {
  return { want: JSON.stringify(want), ...(password !== undefined && { password }) };
}

/** Throws OrielError: `LIMIT`, `CORRUPT`, with a clause that completes "Cannot read .pdf file: ". */
export async function conversionOf(bytes: ByteSource, order: Order, call: Call): Promise<Conversion> {
  // The text of an encrypted document is not written to a disk.
  const cached =
    order.password === undefined ? await CachedConversion.of(bytes, order.want, call) : undefined;
  const make = async (making: Making): Promise<Made<Conversion>> => {
    const known = await cached?.find();
    const anew = () => convert(making.source, order, making.signal, cached, () => call.session.scratch());
    return { value: known ?? (await withProgress(making, 'converting', anew)), keep: true };
  };
  return call.session.store.get(conversions, bytes, optionsOf(order), make, call);
}

async function convert(
  source: ByteSource,
  order: Order,
  signal: AbortSignal,
  cached: CachedConversion | undefined,
  open: () => Promise<ScratchFile>,
): Promise<Conversion> {
  const size = await sizeOf(source, signal);
  const maxMemory = mostMemory(size);
  const job: Job = { ...order, most: MOST_TEXT };
  const sent = createHash('sha256');
  try {
    const { head, ...said } = await children.run(
      {
        head: job,
        body: hashed(chunksOf(source, 0, size, 256 * 1024, signal), sent),
        bytes: size,
        maxOutput: MOST_REPLY,
        maxMemory,
        maxMs: MOST_MS,
        aside: { over: MOST_IN_MEMORY, open },
      },
      { signal },
    );
    const conversion = { reply: head as Reply, body: bodyOf(said) };
    // What cannot be cached is there all the same.
    await cached?.keep(conversion, sent.digest('hex')).catch(() => undefined);
    return conversion;
  } catch (error) {
    if (!(error instanceof ChildFailure)) throw error;
    const [code, clause] = FAILURES[error.why](maxMemory);
    throw new OrielError(code, clause, { cause: error });
  }
}

async function* hashed(pieces: AsyncIterable<Uint8Array>, hash: Hash): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    hash.update(piece);
    yield piece;
  }
}

const FAILURES: Readonly<
  Record<ChildFailure['why'], (memory: number) => readonly ['LIMIT' | 'CORRUPT', string]>
> = {
  crashed: () => ['CORRUPT', 'its converter crashed on it, so it is probably damaged'],
  ended: () => ['LIMIT', 'its converter was ended from outside; the same call may work'],
  slow: () => ['LIMIT', `converting it takes longer than ${MOST_MS / 1000} seconds`],
  memory: (memory) => ['LIMIT', `converting it takes more than the ${memory / MIB} MiB of memory allowed`],
  output: () => ['LIMIT', `it converts to more than ${MOST_REPLY / MIB} MiB`],
};

/** A stream is read to its end before a slot is taken: no child waits for its bytes. */
async function sizeOf(source: ByteSource, signal: AbortSignal): Promise<number> {
  if (source.size === undefined) await source.readInto(new Uint8Array(1), MOST_STORED, signal);
  if (source.size !== undefined && source.size <= MOST_STORED) return source.size;
  throw new OrielError('LIMIT', `it is larger than the ${MOST_STORED / MIB} MiB that are converted`);
}
