/**
 * Conversions in the cache on disk. They are found by the digest of the document's bytes, so a document keeps its text
 * under another name and in another checkout, and never gets that of another version.
 */

import { createHash } from 'node:crypto';
import { chunksOf } from '../../access/bytes.ts';
import { digestOfCode } from '../../access/package-files.ts';
import { Identity } from '../../identity.ts';
import { frame, wholeFrame } from '../../text/frames.ts';
import type { ByteSource } from '../../types/byte-source.ts';
import type { Call } from '../../types/call.ts';
import type { DiskCache, ScratchFile } from '../../types/session.ts';
import type { Kind } from '../../types/store.ts';
import { contentOf, storedBody } from './body.ts';
import { CONVERTER, MOST_STORED } from './document-limits.ts';
import type { Conversion, Reply, Want } from './protocol.ts';

export class CachedConversion {
  readonly #disk: DiskCache;
  /** Of the bytes of the document. */
  readonly sha256: string;
  readonly key: string;
  readonly #open: () => Promise<ScratchFile>;

  private constructor(disk: DiskCache, sha256: string, want: Want, open: () => Promise<ScratchFile>) {
    this.#disk = disk;
    this.#open = open;
    this.sha256 = sha256;
    this.key = JSON.stringify(['document', converterVersion(), sha256, want]);
  }

  /** Undefined where nothing is cached: without a cache, and for a document that is too large to be converted. */
  static async of(bytes: ByteSource, want: Want, call: Call): Promise<CachedConversion | undefined> {
    const { disk } = call.session;
    if (!disk) return undefined;
    const sha256 = await digestIn(bytes, call);
    return sha256 === undefined
      ? undefined
      : new CachedConversion(disk, sha256, want, () => call.session.scratch());
  }

  async find(): Promise<Conversion | undefined> {
    const kept = await this.#disk.get(this.key);
    const read = kept && wholeFrame(kept);
    return read && { reply: read.head as Reply, body: await storedBody(read.body, this.#open) };
  }

  /** `sha256` of the bytes that were converted: the file may have changed since it was looked for. */
  async keep({ reply, body }: Conversion, sha256: string): Promise<void> {
    if (!isLasting(reply) || sha256 !== this.sha256 || body.bytes > MOST_CACHED) return;
    this.#disk.put(this.key, frame(reply, await contentOf(body, Identity.once('conversion'))));
  }
}

/** What is refused today may be read tomorrow, with a package that is missing now. */
export function isLasting(reply: Reply): boolean {
  return reply.is !== 'refused' && !(reply.is === 'text' && reply.without);
}

/** Bytes of a body that is cached: it is in memory for a moment. */
const MOST_CACHED = 16 << 20;

/** Undefined for a document that is too large to be converted. */
export function digestIn(bytes: ByteSource, call: Call): Promise<string | undefined> {
  const make = async ({ source, signal }: { source: ByteSource; signal: AbortSignal }) => ({
    value: await digestOf(source, signal),
    keep: true,
  });
  return call.session.store.get(digests, bytes, {}, make, call);
}

const digests: Kind<string | undefined> = { name: 'sha256', weigh: () => ({ memory: 128 }) };

async function digestOf(source: ByteSource, signal: AbortSignal): Promise<string | undefined> {
  // A stream has its size when it has been read to its end.
  if (source.size === undefined) await source.readInto(new Uint8Array(1), MOST_STORED, signal);
  if (source.size === undefined || source.size > MOST_STORED) return undefined;
  const digest = createHash('sha256');
  for await (const piece of chunksOf(source, 0, source.size, 256 * 1024, signal)) digest.update(piece);
  return digest.digest('hex');
}

const CONVERTERS = [
  '@firecrawl/anydoc',
  '@firecrawl/pdf-inspector',
  '@napi-rs/canvas',
  '@sqlite.org/sqlite-wasm',
  'fflate',
  'unpdf',
  'xlsx',
];

let digestOfConverters: string | undefined;

/** Another converter gives another text. */
export function converterVersion(): string {
  return (digestOfConverters ??= digestOfCode(CONVERTER, CONVERTERS));
}
