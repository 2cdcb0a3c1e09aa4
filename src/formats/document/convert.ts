/** Converts a document in a child process, once for each version and requested part (cached). */

import { createHash, type Hash } from 'node:crypto';
import { OrielError } from '../../errors.ts';
import { builtFile } from '../../files/package-files.ts';
import { Identity } from '../../identity.ts';
import { ChildPool } from '../../process/child-pool.ts';
import { ChildFailure } from '../../process/node-child.ts';
import { withProgress } from '../../queues/caller.ts';
import { queues } from '../../queues/queue-table.ts';
import { frameHandler, NOT_HERE, type OffloadCall, offloadWork } from '../../state/work-values.ts';
import { chunksOf } from '../../text/bytes.ts';
import type { ByteSource } from '../../types/access.ts';
import type { Call } from '../../types/call.ts';
import type { ComputedValue, DerivedKind, ScratchFile, ValueComputation } from '../../types/session.ts';
import {
  CachedConversion,
  contentOf,
  converterVersion,
  digestIn,
  isLasting,
  MAX_BODY_IN_MEMORY_BYTES,
  storedBody,
  weightOf,
  wrapConvertedBody,
} from './converted.ts';
import {
  CONVERTER,
  failureOf,
  MAX_CONVERSION_MS,
  MAX_CONVERSION_REPLY_BYTES,
  MAX_DOCUMENT_BYTES,
  MAX_DOCUMENT_TEXT_BYTES,
  MAX_SEARCHED_DOCUMENT_BYTES,
  maxConverterMemory,
  MIB,
} from './limits.ts';
import type { DocumentConversion, DocumentJob, DocumentPart, DocumentReply } from './protocol.ts';

type ConversionOptions = { want: string; password?: string | undefined };

/** A failure that another attempt would most likely repeat; it is cached like a conversion, for `REPEATED_MS`. */
interface RepeatedFailure {
  readonly failure: ChildFailure;
  /** The size of the document. */
  readonly bytes: number;
  /** In ms of `performance.now()`. */
  readonly until: number;
}

export const conversions: DerivedKind<DocumentConversion | RepeatedFailure, ConversionOptions> = {
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

function isFailure(made: DocumentConversion | RepeatedFailure): made is RepeatedFailure {
  return 'failure' in made;
}

export function conversionOptions({ want, password }: ConversionOrder): ConversionOptions {
  return { want: JSON.stringify(want), password };
}

type Made = DocumentConversion | RepeatedFailure;

/** Throws OrielError: `LIMIT`, `CORRUPT`, with a clause that completes "Cannot read .pdf file: ". */
export async function convertDocument(
  bytes: ByteSource,
  order: ConversionOrder,
  call: Call,
): Promise<DocumentConversion> {
  // The text of an encrypted document is never written to disk.
  const cached =
    order.password === undefined ? await CachedConversion.of(bytes, order.want, call) : undefined;
  // Undefined for a document that is too large.
  const sha256 = cached?.sha256 ?? (await digestIn(bytes, call));
  const make = async (computation: ValueComputation): Promise<ComputedValue<Made>> => {
    const known = await cached?.find();
    if (known) return { value: known, keep: true };
    return withProgress(computation, 'converting', () =>
      convert(computation, order, { cached, sha256, call }),
    );
  };
  // Calls for the same bytes share a conversion. The identity of a file that was written a moment ago does not recur.
  const identity = sha256 === undefined ? bytes.identity : Identity.of('document', { sha256 });
  const shared = { size: bytes.size, identity, readInto: bytes.readInto.bind(bytes) };
  const made = await call.session.store.get(conversions, shared, conversionOptions(order), make, call);
  if (isFailure(made)) throw failed(made, order);
  return made;
}

interface CallToConvert {
  readonly cached: CachedConversion | undefined;
  /** The digest of the document; what is made of a file that has changed since is not kept. */
  readonly sha256: string | undefined;
  readonly call: Call;
}

async function convert(
  { source, signal }: ValueComputation,
  order: ConversionOrder,
  { cached, sha256, call: { session, deadline } }: CallToConvert,
): Promise<ComputedValue<Made>> {
  const elsewhere = cached && (await convertedElsewhere(source, order.want, { session, signal, deadline }));
  if (elsewhere) return { value: elsewhere, keep: true };
  const bytes = await sizeOf(source, signal);
  const sent = createHash('sha256');
  const body = hashed(chunksOf(source, 0, bytes, 256 * 1024, signal), sent);
  const input = { body, bytes, deadline };
  let value: Made;
  try {
    value = await convertInChild(order, input, signal, () => session.scratch());
  } catch (error) {
    if (!(error instanceof ChildFailure)) throw error;
    value = { failure: error, bytes, until: performance.now() + REPEATED_MS };
    if (!REPEATED.has(error.why)) throw failed(value, order);
  }
  const digest = sent.digest('hex');
  if (!isFailure(value)) cached?.keep(value, digest);
  return { value, keep: sha256 === undefined || digest === sha256 };
}

function failed({ failure, bytes }: RepeatedFailure, { want }: ConversionOrder): OrielError {
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
  if (source.size === undefined) await source.readInto(new Uint8Array(1), MAX_DOCUMENT_BYTES, signal);
  if (source.size !== undefined && source.size <= MAX_DOCUMENT_BYTES) return source.size;
  throw new OrielError('LIMIT', `it is larger than the ${MAX_DOCUMENT_BYTES / MIB} MiB that are converted`);
}

// Converts the bytes of one document in a pooled child process.

const children = new ChildPool({
  entry: () => builtFile(CONVERTER),
  queue: queues.documents,
  // Long enough to page through a document.
  idleMs: 20_000,
  heapMb: 768,
  keepUpTo: 200 * MIB,
  // The memory of a new child with its libraries.
  fresh: 80 * MIB,
});

export interface ConversionOrder {
  readonly want: DocumentPart;
  readonly password?: string | undefined;
}

interface ConversionInput {
  /** The document: exactly `bytes` bytes. */
  readonly body: AsyncIterable<Uint8Array>;
  readonly bytes: number;
  /** The deadline of the call, in milliseconds of `performance.now()`. */
  readonly deadline?: number | undefined;
}

/** Throws ChildFailure, `BUSY` and the reason of the signal. `open` creates a file for a result too large for memory. */
async function convertInChild(
  order: ConversionOrder,
  { body, bytes, deadline }: ConversionInput,
  signal: AbortSignal,
  open?: () => Promise<ScratchFile>,
): Promise<DocumentConversion> {
  const job: DocumentJob = {
    ...order,
    most: order.want.kind === 'rest' ? MAX_SEARCHED_DOCUMENT_BYTES : MAX_DOCUMENT_TEXT_BYTES,
  };
  const { head, ...said } = await children.run(
    {
      head: job,
      body,
      bytes,
      maxOutput: MAX_CONVERSION_REPLY_BYTES,
      maxMemory: maxConverterMemory(bytes, order.want),
      maxMs: MAX_CONVERSION_MS,
      deadline,
      aside: open ? { over: MAX_BODY_IN_MEMORY_BYTES, open } : undefined,
    },
    { signal },
  );
  return { reply: head as DocumentReply, body: wrapConvertedBody(said) };
}

// Remote conversion of documents: a replica sends the job, a worker on another machine runs it.

const KIND = 'document';

export const convertJob = frameHandler(KIND, converterVersion, async (head, input, signal) => {
  const { reply, body } = await convertInChild({ want: head as DocumentPart }, input, signal);
  // A result that must not be shared is made on the machine that wants it.
  if (!isLasting(reply)) return NOT_HERE;
  return { head: reply, body: await contentOf(body, Identity.once('conversion')) };
});

/** Undefined if no worker has converted it. Throws OrielError like a local conversion. */
async function convertedElsewhere(
  source: ByteSource,
  want: DocumentPart,
  offload: OffloadCall,
): Promise<DocumentConversion | undefined> {
  const work = { kind: KIND, version: converterVersion(), head: want, source };
  const outcome = await offloadWork(work, offload);
  if (outcome.kind === 'failed') {
    const failure = failureOf(outcome.why, source.size ?? 0, want);
    if (failure) throw new OrielError(...failure);
  }
  if (outcome.kind !== 'done') return undefined;
  const body = await storedBody(outcome.body, () => offload.session.scratch());
  return { reply: outcome.head as DocumentReply, body };
}
