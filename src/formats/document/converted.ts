/** The result of a conversion: in memory if it is small, otherwise in a private file. */

import { createHash } from 'node:crypto';
import { digestOfCode } from '../../files/package-files.ts';
import { Identity } from '../../identity.ts';
import { chunksOf, readAt } from '../../text/bytes.ts';
import { encodeFrame, FrameReader, type PipeFrame } from '../../text/frames.ts';
import type { ByteSource } from '../../types/access.ts';
import type { Call } from '../../types/call.ts';
import type { DerivedKind, DiskCache, ScratchFile, TakePiece, ValueWeight } from '../../types/session.ts';
import { CONVERTER_REALM, MAX_DOCUMENT_BYTES } from './limits.ts';
import type { ConvertedBody, DocumentConversion, DocumentPart, DocumentReply } from './protocol.ts';

/** The most bytes of a body in memory; larger ones go into a file, because a process reads many documents. */
export const MAX_BODY_IN_MEMORY_BYTES = 1 << 20;

export function wrapConvertedBody({
  body,
  file,
}: {
  readonly body: Buffer;
  readonly file?: (ScratchFile & { readonly bytes: number }) | undefined;
}): ConvertedBody {
  if (file) return fileBody(file, file.bytes);
  return {
    bytes: body.length,
    readInto(target, offset) {
      return Promise.resolve(body.copy(target, 0, offset));
    },
  };
}

function fileBody(file: ScratchFile, bytes: number): ConvertedBody {
  const uses: Promise<void>[] = [];
  return {
    bytes,
    fd: file.fd,
    readInto: (target, offset) => file.readInto(target, offset),
    until: (use) => void uses.push(use),
    async close() {
      await Promise.all(uses);
      await file.close();
    },
  };
}

/** Stores bytes as a body: in memory if they are few, otherwise in a file. */
export async function storedBody(body: Buffer, open: () => Promise<ScratchFile>): Promise<ConvertedBody> {
  if (body.length <= MAX_BODY_IN_MEMORY_BYTES) return wrapConvertedBody({ body });
  const file = await open();
  try {
    await file.append(body);
  } catch (error) {
    await file.close();
    throw error;
  }
  return fileBody(file, body.length);
}

export function weightOf({ bytes, close }: ConvertedBody): ValueWeight {
  return close ? { memory: 4096, disk: bytes, descriptors: 1 } : { memory: bytes + 4096 };
}

export function sourceOf(body: ConvertedBody, identity: Identity): ByteSource {
  return { size: body.bytes, identity, readInto: (target, offset) => body.readInto(target, offset) };
}

/** Reads a complete body into memory: for pictures, and for results that a worker sends. */
export async function contentOf(body: ConvertedBody, identity: Identity): Promise<Uint8Array> {
  return readAt(sourceOf(body, identity), 0, body.bytes);
}

// Conversions in the cache on disk. The cache key is the digest of the document's bytes, so a document finds its conversion
// under another name and in another checkout, and never that of another version.

export class CachedConversion {
  readonly #disk: DiskCache;
  /** The digest of the document's bytes. */
  readonly sha256: string;
  readonly key: string;
  readonly #open: () => Promise<ScratchFile>;

  private constructor(disk: DiskCache, sha256: string, want: DocumentPart, open: () => Promise<ScratchFile>) {
    this.#disk = disk;
    this.#open = open;
    this.sha256 = sha256;
    this.key = JSON.stringify(['document', converterVersion(), sha256, want]);
  }

  /** Undefined if nothing can be cached: there is no cache, or the document is too large to be converted. */
  static async of(bytes: ByteSource, want: DocumentPart, call: Call): Promise<CachedConversion | undefined> {
    const { disk } = call.session;
    if (!disk) return undefined;
    const sha256 = await digestIn(bytes, call);
    return sha256 === undefined
      ? undefined
      : new CachedConversion(disk, sha256, want, () => call.session.scratch());
  }

  async find(): Promise<DocumentConversion | undefined> {
    let arriving: ArrivingBody | undefined;
    const begin = (): TakePiece => {
      const last = arriving;
      const next = (arriving = new ArrivingBody(this.#open));
      return async (piece) => {
        await last?.discard();
        await next.take(piece);
      };
    };
    // A damaged frame, or a body that cannot be written to a file now, is a miss.
    const isWhole = await this.#disk.getPieces(this.key, begin).catch(() => false);
    const found = isWhole ? arriving?.finish() : undefined;
    if (!found) await arriving?.discard();
    return found;
  }

  /** Stores a conversion in the background. `sha256` is of the converted bytes: the file may have changed since the lookup. */
  keep({ reply, body }: DocumentConversion, sha256: string): void {
    if (!isLasting(reply) || sha256 !== this.sha256) return;
    const source = sourceOf(body, Identity.once('conversion'));
    const stored = {
      length: body.bytes,
      read: (start: number, length: number) => readAt(source, start, length),
    };
    const written = this.#disk.put(this.key, [...encodeFrame(reply, body.bytes), stored]);
    body.until?.(written);
  }
}

/** Assembles a conversion that arrives from the cache in pieces; a large body goes into a file. */
class ArrivingBody {
  readonly #open: () => Promise<ScratchFile>;
  readonly #reader = new FrameReader(Infinity, (bytes) =>
    bytes > MAX_BODY_IN_MEMORY_BYTES ? (piece) => void this.#pieces.push(piece) : undefined,
  );
  #pieces: Buffer[] = [];
  #file: ScratchFile | undefined;
  #frame: PipeFrame | undefined;

  constructor(open: () => Promise<ScratchFile>) {
    this.#open = open;
  }

  async take(piece: Buffer): Promise<void> {
    // Nothing was stored after the frame.
    if (this.#frame) throw new RangeError('more than one frame');
    this.#frame = this.#reader.push(piece);
    for (const part of this.#pieces.splice(0)) await (this.#file ??= await this.#open()).append(part);
  }

  /** The conversion; undefined if its end is missing. */
  finish(): DocumentConversion | undefined {
    if (!this.#frame) return undefined;
    const { head, body, aside = 0 } = this.#frame;
    return {
      reply: head as DocumentReply,
      body: this.#file ? fileBody(this.#file, aside) : wrapConvertedBody({ body }),
    };
  }

  async discard(): Promise<void> {
    await this.#file?.close();
  }
}

/** Whether a reply may be cached. A refusal may not, nor a text for which a package was missing: that may be installed later. */
export function isLasting(reply: DocumentReply): boolean {
  return reply.kind !== 'refused' && !(reply.kind === 'text' && reply.without);
}

/** The cached digest of a document; undefined if it is too large to be converted. */
export function digestIn(bytes: ByteSource, call: Call): Promise<string | undefined> {
  const make = async ({ source, signal }: { source: ByteSource; signal: AbortSignal }) => ({
    value: await digestOf(source, signal),
    keep: true,
  });
  return call.session.store.get(digests, bytes, {}, make, call);
}

const digests: DerivedKind<string | undefined> = { name: 'sha256', weigh: () => ({ memory: 128 }) };

async function digestOf(source: ByteSource, signal: AbortSignal): Promise<string | undefined> {
  // The size of a stream is known when it has been read to its end.
  if (source.size === undefined) await source.readInto(new Uint8Array(1), MAX_DOCUMENT_BYTES, signal);
  if (source.size === undefined || source.size > MAX_DOCUMENT_BYTES) return undefined;
  const digest = createHash('sha256');
  for await (const piece of chunksOf(source, 0, source.size, 256 * 1024, signal)) digest.update(piece);
  return digest.digest('hex');
}

/** What is not in the bundle of the realm. */
const CONVERTERS = ['@firecrawl/anydoc', '@firecrawl/pdf-inspector'];

/** The version of the converters' code, a part of the cache key, because another converter gives another text. */
export function converterVersion(): string {
  return digestOfCode(CONVERTER_REALM, CONVERTERS);
}
