/**
 * Conversions in the cache on disk. The cache key is the digest of the document's bytes, so a document finds its conversion
 * under another name and in another checkout, and never that of another version.
 */

import { createHash } from 'node:crypto';
import { chunksOf, readAt } from '../../access/bytes.ts';
import { digestOfCode } from '../../access/package-files.ts';
import { Identity } from '../../identity.ts';
import { type Frame, frame, FrameReader } from '../../text/frames.ts';
import type { ByteSource } from '../../types/byte-source.ts';
import type { Call } from '../../types/call.ts';
import type { DiskCache, ScratchFile, TakePiece } from '../../types/session.ts';
import type { Kind } from '../../types/store.ts';
import { bodyOf, fileBody, MOST_IN_MEMORY, sourceOf } from './converted-body.ts';
import { CONVERTER_REALM, MOST_STORED } from './document-limits.ts';
import type { Conversion, Reply, Want } from './document-protocol.ts';

export class CachedConversion {
  readonly #disk: DiskCache;
  /** The digest of the document's bytes. */
  readonly sha256: string;
  readonly key: string;
  readonly #open: () => Promise<ScratchFile>;

  private constructor(disk: DiskCache, sha256: string, want: Want, open: () => Promise<ScratchFile>) {
    this.#disk = disk;
    this.#open = open;
    this.sha256 = sha256;
    this.key = JSON.stringify(['document', converterVersion(), sha256, want]);
  }

  /** Undefined if nothing can be cached: there is no cache, or the document is too large to be converted. */
  static async of(bytes: ByteSource, want: Want, call: Call): Promise<CachedConversion | undefined> {
    const { disk } = call.session;
    if (!disk) return undefined;
    const sha256 = await digestIn(bytes, call);
    return sha256 === undefined
      ? undefined
      : new CachedConversion(disk, sha256, want, () => call.session.scratch());
  }

  async find(): Promise<Conversion | undefined> {
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
  keep({ reply, body }: Conversion, sha256: string): void {
    if (!isLasting(reply) || sha256 !== this.sha256) return;
    const source = sourceOf(body, Identity.once('conversion'));
    const stored = {
      length: body.bytes,
      read: (start: number, length: number) => readAt(source, start, length),
    };
    const written = this.#disk.put(this.key, [...frame(reply, body.bytes), stored]);
    body.until?.(written);
  }
}

/** Assembles a conversion that arrives from the cache in pieces; a large body goes into a file. */
class ArrivingBody {
  readonly #open: () => Promise<ScratchFile>;
  readonly #reader = new FrameReader(Infinity, (bytes) =>
    bytes > MOST_IN_MEMORY ? (piece) => void this.#pieces.push(piece) : undefined,
  );
  #pieces: Buffer[] = [];
  #file: ScratchFile | undefined;
  #frame: Frame | undefined;

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
  finish(): Conversion | undefined {
    if (!this.#frame) return undefined;
    const { head, body, aside = 0 } = this.#frame;
    return { reply: head as Reply, body: this.#file ? fileBody(this.#file, aside) : bodyOf({ body }) };
  }

  async discard(): Promise<void> {
    await this.#file?.close();
  }
}

/** Whether a reply may be cached. A refusal may not, nor a text for which a package was missing: that may be installed later. */
export function isLasting(reply: Reply): boolean {
  return reply.is !== 'refused' && !(reply.is === 'text' && reply.without);
}

/** The cached digest of a document; undefined if it is too large to be converted. */
export function digestIn(bytes: ByteSource, call: Call): Promise<string | undefined> {
  const make = async ({ source, signal }: { source: ByteSource; signal: AbortSignal }) => ({
    value: await digestOf(source, signal),
    keep: true,
  });
  return call.session.store.get(digests, bytes, {}, make, call);
}

const digests: Kind<string | undefined> = { name: 'sha256', weigh: () => ({ memory: 128 }) };

async function digestOf(source: ByteSource, signal: AbortSignal): Promise<string | undefined> {
  // The size of a stream is known when it has been read to its end.
  if (source.size === undefined) await source.readInto(new Uint8Array(1), MOST_STORED, signal);
  if (source.size === undefined || source.size > MOST_STORED) return undefined;
  const digest = createHash('sha256');
  for await (const piece of chunksOf(source, 0, source.size, 256 * 1024, signal)) digest.update(piece);
  return digest.digest('hex');
}

/** What is not in the bundle of the realm. */
const CONVERTERS = [
  '@firecrawl/anydoc',
  '@firecrawl/pdf-inspector',
  '@napi-rs/canvas',
  '@sqlite.org/sqlite-wasm',
];

let digestOfConverters: string | undefined;

/** The version of the converters' code, a part of the cache key, because another converter gives another text. */
export function converterVersion(): string {
  return (digestOfConverters ??= digestOfCode(CONVERTER_REALM, CONVERTERS));
}
