/** Opens the content of an archive file: a container of members, or one compressed stream. */

import { chunksOf } from '../../access/bytes.ts';
import { isOrielError, OrielError } from '../../errors.ts';
import type { OpenedFile } from '../../types/access.ts';
import type { Budget } from './budget.ts';
import { type Codec, unpacked } from './codecs.ts';
import type { Container } from './container.ts';
import { StreamCursor } from './cursor.ts';
import { formatOf, isNamedPackedTar, isNamedZip } from './formats.ts';
import { Isolated } from './isolated.ts';
import { BLOCK_BYTES, isTarHeader } from './tar-header.ts';
import { PackedTar, PlainTar } from './tar.ts';
import { Zip } from './zip.ts';

/** A single compressed file. */
export interface Compressed {
  readonly codec: Codec;
  unpack(signal: AbortSignal): AsyncIterable<Uint8Array>;
}

export type Content = { readonly container: Container } | { readonly compressed: Compressed };

/** Bytes read at once from packed data. */
const CHUNK = 256 << 10;

const SUFFIXES: Record<Codec, string> = { gzip: 'gz', bzip2: 'bz2', xz: 'xz', zstd: 'zst', deflate: 'z' };

/** Throws `CORRUPT` for bytes that are not an archive, whatever the name. */
export async function openContent(
  file: OpenedFile,
  name: string,
  head: Uint8Array,
  budget: Budget,
  signal: AbortSignal,
): Promise<Content> {
  const { bytes, size } = file;
  const format = formatOf(head) ?? (isNamedZip(name) ? 'zip' : emptyTar(name, head));
  switch (format) {
    case undefined:
      throw new OrielError(
        'CORRUPT',
        size === 0 ? 'the file is empty' : 'its first bytes are those of no archive',
      );
    case 'tar':
      return { container: new PlainTar(bytes) };
    case 'zip':
      return { container: new Zip(bytes, size, budget) };
    case '7z':
    case 'rar':
      return { container: new Isolated(format, bytes, size, budget) };
    default: {
      const unpack = (signal: AbortSignal): AsyncIterable<Uint8Array> =>
        unpacked(format, { size, read: () => chunksOf(bytes, 0, size, CHUNK, signal) }, budget, signal);
      const holdsTar = isNamedPackedTar(name) || (await beginsWithTar(unpack(signal)));
      if (holdsTar) return { container: new PackedTar(`tar.${SUFFIXES[format]}`, unpack) };
      return { compressed: { codec: format, unpack } };
    }
  }
}

/** A tar without members consists of zeros. */
function emptyTar(name: string, head: Uint8Array): 'tar' | undefined {
  const zeros = head.length >= BLOCK_BYTES && head.every((byte) => byte === 0);
  return zeros && /\.tar$/i.test(name) ? 'tar' : undefined;
}

async function beginsWithTar(stream: AsyncIterable<Uint8Array>): Promise<boolean> {
  const cursor = new StreamCursor(stream);
  try {
    return isTarHeader(await cursor.read(BLOCK_BYTES));
  } catch (error) {
    // Damage is reported when the content is read, after the bytes that can be recovered.
    if (isOrielError(error) && error.code === 'CORRUPT') return false;
    throw error;
  } finally {
    await cursor.close();
  }
}
