/** Opens an archive file: detects its format and creates the container, or the stream of a single compressed file. */

import { chunksOf, readAt } from '../../access/bytes.ts';
import { isOrielError, OrielError } from '../../errors.ts';
import type { ByteSource } from '../../types/byte-source.ts';
import type { Budget } from './budget.ts';
import { type Codec, unpacked } from './codecs.ts';
import type { Container } from './container.ts';
import { StreamCursor } from './cursor.ts';
import { formatOf, isNamedPackedTar, isNamedZip, type IsolatedFormat } from './formats.ts';
import { Isolated } from './isolated.ts';
import { BLOCK_BYTES, isTarHeader } from './tar-checksum.ts';
import { PackedTar, PlainTar } from './tar.ts';
import { Zip } from './zip.ts';

export type ContainerFormat = 'tar' | 'zip' | IsolatedFormat | { readonly tarIn: Codec };

/** A container of members, or a single compressed file. */
export type ArchiveFormat = ContainerFormat | { readonly only: Codec };

/** The bytes of an archive, and the budget for unpacking them. */
export interface Packed {
  readonly bytes: ByteSource;
  readonly size: number;
  readonly budget: Budget;
}

/** Bytes per read of packed data. */
const CHUNK = 256 << 10;

const SUFFIXES: Record<Codec, string> = {
  gzip: 'gz',
  bzip2: 'bz2',
  xz: 'xz',
  zstd: 'zst',
  lz4: 'lz4',
  deflate: 'z',
};

/** Throws `CORRUPT` for bytes that are not an archive, whatever the name. */
export async function archiveFormat(
  packed: Packed,
  name: string,
  head: Uint8Array,
  signal: AbortSignal,
): Promise<ArchiveFormat> {
  const format =
    formatOf(head) ??
    (isNamedZip(name) ? 'zip' : (emptyTar(name, head) ?? (await discImage(packed, name, signal))));
  switch (format) {
    case undefined:
      throw new OrielError(
        'CORRUPT',
        packed.size === 0 ? 'the file is empty' : 'its first bytes are not those of an archive',
      );
    case 'tar':
    case 'zip':
    case '7z':
    case 'rar':
    case 'ar':
    case 'cpio':
    case 'rpm':
    case 'cab':
    case 'iso':
      return format;
    default: {
      const holdsTar = isNamedPackedTar(name) || (await beginsWithTar(unpack(format, packed, signal)));
      return holdsTar ? { tarIn: format } : { only: format };
    }
  }
}

/** Throws `LIMIT` for an archive that is too large for its format. */
export function containerOf(format: ContainerFormat, packed: Packed): Container {
  const { bytes, size, budget } = packed;
  switch (format) {
    case 'tar':
      return new PlainTar(bytes);
    case 'zip':
      return new Zip(bytes, size, budget);
    case '7z':
    case 'rar':
    case 'ar':
    case 'cpio':
    case 'rpm':
    case 'cab':
    case 'iso':
      return new Isolated(format, bytes, size, budget);
    default: {
      const { tarIn: codec } = format;
      return new PackedTar(`tar.${SUFFIXES[codec]}`, codec, (signal) => unpack(codec, packed, signal));
    }
  }
}

/** Yields the unpacked bytes of a compressed stream. */
export function unpack(
  codec: Codec,
  { bytes, size, budget }: Packed,
  signal: AbortSignal,
): AsyncIterable<Uint8Array> {
  const read = (): AsyncIterable<Uint8Array> => chunksOf(bytes, 0, size, CHUNK, signal);
  return unpacked(codec, { size, read }, budget, signal);
}

/** Detects a tar without members, which consists of zeros. */
function emptyTar(name: string, head: Uint8Array): 'tar' | undefined {
  const zeros = head.length >= BLOCK_BYTES && head.every((byte) => byte === 0);
  return zeros && /\.tar$/i.test(name) ? 'tar' : undefined;
}

/** The offset of the identifier in the first volume descriptor, after 16 sectors of 2,048 bytes. Source: ECMA-119, 8.1. */
const VOLUME_AT = 16 * 2048 + 1;

async function discImage({ bytes }: Packed, name: string, signal: AbortSignal): Promise<'iso' | undefined> {
  if (!/\.iso$/i.test(name)) return undefined;
  const mark = await readAt(bytes, VOLUME_AT, 5, signal);
  return Buffer.from(mark).toString('latin1') === 'CD001' ? 'iso' : undefined;
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
