/** Converts a document in a child process, once for each version and requested part (cached). */

import { createHash, type Hash } from 'node:crypto';
import { chunksOf } from '../../access/bytes.ts';
import { ChildFailure } from '../../access/isolate-child.ts';
import { withProgress } from '../../access/progress-timer.ts';
import { OrielError } from '../../errors.ts';
import { Identity } from '../../identity.ts';
import type { ByteSource } from '../../types/byte-source.ts';
import type { Call } from '../../types/call.ts';
import type { Computation, Computed, Kind } from '../../types/store.ts';
import type { ScratchFile } from '../../types/session.ts';
import { weightOf } from './converted-body.ts';
import { CachedConversion, digestIn } from './cached-conversion.ts';
import { convertInChild, type Order } from './convert-in-child.ts';
import { convertedElsewhere } from './convert-job.ts';
import { MIB, MOST_STORED } from './document-limits.ts';
import { failureOf } from './failures.ts';
import type { Conversion } from './document-protocol.ts';

export type ConversionOptions = { want: string; password?: string };

/** A failure that another attempt would most likely repeat; it is cached like a conversion, for `REPEATED_MS`. */
interface RepeatedFailure {
  readonly failure: ChildFailure;
  /** The size of the document. */
  readonly bytes: number;
  /** In ms of `performance.now()`. */
  readonly until: number;
}

export const conversions: Kind<Conversion | RepeatedFailure, ConversionOptions> = {
  name: 'document',
  weigh: (made) => (isFailure(made) ? { memory: 1024 } : weightOf(made.body)),
  mostMemory: 20 * MIB,
  lasts: (made) => !isFailure(made) || performance.now() < made.until,
  dispose: (made) => (isFailure(made) ? undefined : made.body.close?.()),
};

/** These follow from the bytes and the limits; whether a conversion is too slow or crashes depends on the machine too. */
const REPEATED: ReadonlySet<ChildFailure['why']> = new Set(['memory', 'output']);

/** Memory is measured now and then: a document close to the limit may be converted in the next attempt. */
const REPEATED_MS = 10 * 60_000;

function isFailure(made: Conversion | RepeatedFailure): made is RepeatedFailure {
  return 'failure' in made;
}

export function optionsOf({ want, password }: Order): ConversionOptions {
  return { want: JSON.stringify(want), ...(password !== undefined && { password }) };
}

/** Throws OrielError: `LIMIT`, `CORRUPT`, with a clause that completes "Cannot read .pdf file: ". */
export async function conversionOf(bytes: ByteSource, order: Order, call: Call): Promise<Conversion> {
  // The text of an encrypted document is never written to disk.
  const cached =
    order.password === undefined ? await CachedConversion.of(bytes, order.want, call) : undefined;
  const { session, deadline } = call;
  const open = (): Promise<ScratchFile> => session.scratch();
  const shared = await byContent(bytes, cached, call);
  /** Whether the file was unchanged between computing its digest and its conversion. */
  let isSame = true;
  const anew = async ({ source, signal }: Computation): Promise<Conversion | RepeatedFailure> => {
    const { work } = session;
    const elsewhere =
      work &&
      cached &&
      (await convertedElsewhere(work, cached, { want: order.want, source, signal, deadline, open }));
    if (elsewhere) return elsewhere;
    const { made, sha256 } = await convert(source, order, { signal, deadline, cached, open });
    isSame = shared === undefined || sha256 === shared.sha256;
    return made;
  };
  const make = async (computation: Computation): Promise<Computed<Conversion | RepeatedFailure>> => {
    const known = await cached?.find();
    return {
      value: known ?? (await withProgress(computation, 'converting', () => anew(computation))),
      keep: isSame,
    };
  };
  const made = await session.store.get(conversions, shared?.source ?? bytes, optionsOf(order), make, call);
  if (isFailure(made)) throw failed(made, order);
  return made;
}

/**
 * Identifies the document by its digest, so that calls for the same bytes share a conversion. The identity of a file that was
 * written a moment ago does not recur and could not be shared. Undefined for a document that is too large.
 */
async function byContent(
  bytes: ByteSource,
  cached: CachedConversion | undefined,
  call: Call,
): Promise<{ readonly sha256: string; readonly source: ByteSource } | undefined> {
  const sha256 = cached?.sha256 ?? (await digestIn(bytes, call));
  if (sha256 === undefined) return undefined;
  const source: ByteSource = {
    size: bytes.size,
    identity: Identity.of('document', { sha256 }),
    readInto: bytes.readInto.bind(bytes),
  };
  return { sha256, source };
}

interface Here {
  readonly signal: AbortSignal;
  readonly deadline: number;
  readonly cached: CachedConversion | undefined;
  readonly open: () => Promise<ScratchFile>;
}

async function convert(
  source: ByteSource,
  order: Order,
  { signal, deadline, cached, open }: Here,
): Promise<{ readonly made: Conversion | RepeatedFailure; readonly sha256: string }> {
  const bytes = await sizeOf(source, signal);
  const sent = createHash('sha256');
  const body = hashed(chunksOf(source, 0, bytes, 256 * 1024, signal), sent);
  try {
    const made = await convertInChild(order, { body, bytes, deadline }, signal, open);
    const sha256 = sent.digest('hex');
    cached?.keep(made, sha256);
    return { made, sha256 };
  } catch (error) {
    if (!(error instanceof ChildFailure)) throw error;
    const failure = { failure: error, bytes, until: performance.now() + REPEATED_MS };
    if (!REPEATED.has(error.why)) throw failed(failure, order);
    return { made: failure, sha256: sent.digest('hex') };
  }
}

function failed({ failure, bytes }: RepeatedFailure, { want }: Order): OrielError {
  return new OrielError(...(failureOf(failure.why, bytes, want) ?? ENDED), { cause: failure });
}

const ENDED = ['LIMIT', 'its converter was ended from outside; the same call may work'] as const;

async function* hashed(pieces: AsyncIterable<Uint8Array>, hash: Hash): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    hash.update(piece);
    yield piece;
  }
}

/** The size. A stream is read to its end before a slot is taken, so that no child process waits for bytes. */
async function sizeOf(source: ByteSource, signal: AbortSignal): Promise<number> {
  if (source.size === undefined) await source.readInto(new Uint8Array(1), MOST_STORED, signal);
  if (source.size !== undefined && source.size <= MOST_STORED) return source.size;
  throw new OrielError('LIMIT', `it is larger than the ${MOST_STORED / MIB} MiB that are converted`);
}
