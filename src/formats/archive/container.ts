/** Opens an archive file: detects its format and creates the container, or the stream of a single compressed file. */

import { isOrielError, OrielError } from '../../errors.ts';
import { privateFile } from '../../files/deny-rules.ts';
import { binarySize } from '../../render/display.ts';
import { chunksOf, readAt, readSourceHead } from '../../text/bytes.ts';
import type { ByteSource, OpenedFile } from '../../types/access.ts';
import type { Call } from '../../types/call.ts';
import type { ComputedValue, DerivedKind, ValueComputation } from '../../types/session.ts';
import { StreamCursor } from './cursor.ts';
import type { ReportedMember } from './decoders.ts';
import {
  BLOCK_BYTES,
  formatOf,
  type IsolatedFormat,
  isTarHeader,
  MAX_GZIP_HEAD_BYTES,
  namesInGzip,
  PACKED_TARS,
  unpackedName,
  ZIPS,
} from './detect.ts';
import { archiveLimits, metered, UnpackBudget } from './limits.ts';
import {
  type ArchiveContainer,
  type ArchiveContents,
  type ArchiveMember,
  escapeName,
  type FileSubject,
  readContents,
  storedName,
  withoutPrivate,
} from './members.ts';
import { packedTar, PlainTar } from './tar.ts';
import {
  type CompressionCodec,
  decompress,
  LIBARCHIVE_BYTES,
  type PackedInput,
  pullFromWorker,
  type UnpackedMember,
  unpackedStream,
  WORKING,
} from './unpack.ts';
import { endsAsZip, ZipArchive } from './zip.ts';

export type ContainerFormat = 'tar' | 'zip' | IsolatedFormat | { readonly tarIn: CompressionCodec };

type ArchiveFormat = ContainerFormat | { readonly only: CompressionCodec };

interface PackedArchive {
  readonly bytes: ByteSource;
  readonly size: number;
  readonly budget: UnpackBudget;
  /** Of a zip: the most members whose local headers are compared with the directory. */
  readonly compared?: number | undefined;
}

/** Bytes of a gzip file in which names are looked for at once; of a file elsewhere only the first ones. */
const NAMED_CHUNK_BYTES = 4 << 20;
const REMOTE_NAMED_BYTES = 96 << 10;

const PACKED_CHUNK_BYTES = 256 << 10;

/** Throws `CORRUPT` for bytes that are not an archive, whatever the name. */
async function archiveFormat(
  packed: PackedArchive,
  name: string,
  head: Uint8Array,
  signal: AbortSignal,
): Promise<ArchiveFormat> {
  const format =
    formatOf(head) ??
    (ZIPS.test(name) ? 'zip' : (emptyTar(name, head) ?? (await discImage(packed, name, signal)))) ??
    ((await endsAsZip(packed.bytes, packed.size, signal)) ? 'zip' : undefined);
  if (format === undefined) {
    throw new OrielError(
      'CORRUPT',
      packed.size === 0 ? 'the file is empty' : 'its first bytes are not those of an archive',
    );
  }
  if (!isCodec(format)) return format;
  const holdsTar = PACKED_TARS.test(name) || (await beginsWithTar(decompressFile(format, packed, signal)));
  return holdsTar ? { tarIn: format } : { only: format };
}

function isCodec(format: string): format is CompressionCodec {
  return Object.hasOwn(WORKING, format);
}

/** Throws `LIMIT` for an archive that is too large for its format. */
export function openContainer(format: ContainerFormat, packed: PackedArchive): ArchiveContainer {
  const { bytes, size, budget } = packed;
  if (format === 'tar') return new PlainTar(bytes, budget);
  if (format === 'zip') return new ZipArchive(bytes, size, budget, packed.compared);
  if (typeof format === 'string') return isolatedArchive(format, packed);
  const { tarIn: codec } = format;
  return packedTar(codec, budget, (signal) => decompressFile(codec, packed, signal));
}

function decompressFile(
  codec: CompressionCodec,
  { bytes, size, budget }: PackedArchive,
  signal: AbortSignal,
): AsyncIterable<Uint8Array> {
  const read = (): AsyncIterable<Uint8Array> => chunksOf(bytes, 0, size, PACKED_CHUNK_BYTES, signal);
  return decompress(codec, { size, read }, budget, signal);
}

/** Detects a tar without members, which consists of zeros. */
function emptyTar(name: string, head: Uint8Array): 'tar' | undefined {
  const zeros = head.length >= BLOCK_BYTES && head.every((byte) => byte === 0);
  return zeros && /\.tar$/i.test(name) ? 'tar' : undefined;
}

/** The offset of the identifier in the first volume descriptor, after 16 sectors of 2,048 bytes. Source: ECMA-119, 8.1. */
const VOLUME_AT = 16 * 2048 + 1;

async function discImage(
  { bytes }: PackedArchive,
  name: string,
  signal: AbortSignal,
): Promise<'iso' | undefined> {
  if (!/\.iso$/i.test(name)) return undefined;
  const mark = await readAt(bytes, VOLUME_AT, 5, signal);
  return Buffer.from(mark).toString('latin1') === 'CD001' ? 'iso' : undefined;
}

async function beginsWithTar(stream: AsyncIterable<Uint8Array>): Promise<boolean> {
  try {
    return isTarHeader(await firstBytes(stream, BLOCK_BYTES));
  } catch (error) {
    // Damage is reported when the content is read, after the bytes that can be recovered.
    if (isOrielError(error) && error.code === 'CORRUPT') return false;
    throw error;
  }
}

async function firstBytes(stream: AsyncIterable<Uint8Array>, most: number): Promise<Uint8Array> {
  const cursor = new StreamCursor(stream);
  try {
    return await cursor.read(most);
  } finally {
    await cursor.close();
  }
}

// The cached index of an archive (its format and members), so that later calls find a member without reading it again.

export type ArchiveIndex =
  | {
      readonly kind: 'container';
      readonly format: ContainerFormat;
      readonly contents: ArchiveContents;
    }
  | { readonly kind: 'compressed'; readonly codec: CompressionCodec };

const indexes: DerivedKind<ArchiveIndex, { name: string; entries: number; compared: number }> = {
  name: 'archive index',
  weigh: (index) => ({ memory: index.kind === 'compressed' ? 0 : index.contents.weight }),
};

/**
 * Private members have no content, size or link in it. Throws OrielError whose message is a clause about the archive: "it is
 * encrypted".
 */
export async function archiveIndex(subject: FileSubject, call: Call): Promise<ArchiveIndex> {
  const names = await call.access.privateNames?.();
  const index = await wholeIndex(subject, call, names !== undefined);
  if (!names) return index;
  const key = `${names.data.key} ${subject.path}`;
  if (index.kind === 'compressed') {
    if (openStreams.get(index) === key) return index;
    for await (const inner of namesOfStream(subject, index.codec, call.signal)) {
      const denied = names.inside(subject.path, inner, false);
      if (denied) throw privateFile(subject.typed, denied);
    }
    openStreams.set(index, key);
    return index;
  }
  const { contents } = index;
  const known = openIndexes.get(contents);
  const open = known?.key === key ? known.open : await withoutPrivate(contents, subject.path, names);
  openIndexes.set(contents, { key, open });
  return { ...index, contents: open };
}

/** By a whole index, the one without private members for the rules that were last asked about. */
const openIndexes = new WeakMap<ArchiveContents, { readonly key: string; readonly open: ArchiveContents }>();

/** By the index of a single compressed file, the rules by which none of its names is private. */
const openStreams = new WeakMap<ArchiveIndex, string>();

/** The names that programs may give a single compressed file: its own, and those that gzip stores. */
async function* namesOfStream(
  { opened: { bytes, size }, name }: FileSubject,
  codec: CompressionCodec,
  signal: AbortSignal,
): AsyncGenerator<string> {
  yield storedName(unpackedName(name));
  const end = codec !== 'gzip' ? 0 : bytes.remote ? Math.min(size, REMOTE_NAMED_BYTES) : size;
  for (let at = 0; at < end; at += NAMED_CHUNK_BYTES) {
    const length = Math.min(end - at, NAMED_CHUNK_BYTES + MAX_GZIP_HEAD_BYTES);
    yield* namesInGzip(Buffer.from(await readAt(bytes, at, length, signal)), NAMED_CHUNK_BYTES);
  }
}

/** `isRuled`: a member may be private by each of its names, also for its size in a listing. */
function wholeIndex(
  { opened, name, head }: FileSubject,
  call: Call,
  isRuled: boolean,
): Promise<ArchiveIndex> {
  const { bytes, size } = opened;
  const compared = isRuled ? Number.MAX_SAFE_INTEGER : archiveLimits.localHeaders;
  const make = async ({
    source,
    signal,
    progress,
  }: ValueComputation): Promise<ComputedValue<ArchiveIndex>> => {
    const packed = { bytes: source, size, budget: new UnpackBudget(progress), compared };
    const format = await archiveFormat(packed, name, head, signal);
    if (typeof format === 'object' && 'only' in format) {
      return { value: { kind: 'compressed', codec: format.only }, keep: true };
    }
    const contents = await readContents(openContainer(format, packed), signal);
    return { value: { kind: 'container', format, contents }, keep: true };
  };
  return call.session.store.get(
    indexes,
    bytes,
    { name, entries: archiveLimits.entries, compared },
    make,
    call,
  );
}

// Reads many small members of one archive one after the other, without unpacking everything before each of them again.

/** Reads the first `most` bytes of a member. Throws `CORRUPT`, `LIMIT` and the errors of reading the archive. */
type ReadMember = (member: ArchiveMember, most: number, signal: AbortSignal) => Promise<Uint8Array>;

/** Undefined for formats without random access to members: 7z, rar and others. */
export async function memberReader(
  subject: FileSubject,
  { format }: Extract<ArchiveIndex, { kind: 'container' }>,
  call: Call,
): Promise<ReadMember | undefined> {
  const { bytes, size } = subject.opened;
  if (typeof format === 'string' && format !== 'zip' && format !== 'tar') return undefined;
  const source =
    typeof format === 'object' ? (await unpackFile(subject.opened, format.tarIn, call)).bytes : bytes;
  const plain = typeof format === 'object' ? 'tar' : format;
  return async (member, most, signal) => {
    const container = openContainer(plain, { bytes: source, size, budget: new UnpackBudget() });
    const there = await container.inPlace?.(member, signal);
    return there ? readAt(there, 0, most, signal) : firstBytes(container.open(member, signal), most);
  };
}

/**
 * The unpacked tar of a compressed tar as a file of its own, for callers that read all of its members; otherwise each member
 * would be unpacked from the start of the file. `trouble` describes damage at its end. Undefined for other archives.
 * Throws `LIMIT` if it is too large.
 */
export async function plainTar(
  subject: FileSubject,
  { format }: Extract<ArchiveIndex, { kind: 'container' }>,
  call: Call,
): Promise<(FileSubject & { readonly trouble: string | undefined }) | undefined> {
  if (typeof format !== 'object') return undefined;
  const { opened } = subject;
  const stream = await unpackFile(opened, format.tarIn, call);
  const { bytes, size } = await stream.whole();
  const { fd: _fd, sibling: _sibling, ...file } = opened;
  return {
    ...subject,
    head: await readSourceHead(bytes, call.signal),
    opened: { ...file, size, bytes, close: () => Promise.resolve() },
    trouble: stream.trouble(),
  };
}

/** The content of a compressed file, unpacked lazily as far as it is read. */
export function unpackFile(
  { bytes, size }: Pick<OpenedFile, 'bytes' | 'size'>,
  codec: CompressionCodec,
  call: Call,
  refused = (error: OrielError): OrielError => error,
): Promise<UnpackedMember> {
  return unpackedStream(
    {
      of: bytes,
      options: { codec },
      working: WORKING[codec],
      open: ({ source, signal, progress }) =>
        decompressFile(codec, { bytes: source, size, budget: new UnpackBudget(progress) }, signal),
      refused,
    },
    call,
  );
}

// 7z, rar and other archives, which libarchive reads in a worker.

interface IsolatedMember extends ArchiveMember {
  /** 0-based index in the archive. */
  readonly index: number;
}

const WORKER_CHUNK_BYTES = 1 << 20;
/** The start of a 7z: signature, version, CRC, then offset and size of the directory. Source: 7zFormat.txt. */
const SEVEN_START_BYTES = 32;

/** Throws `LIMIT` for an archive too large to be read in memory. */
function isolatedArchive(format: IsolatedFormat, { bytes, size, budget }: PackedArchive): ArchiveContainer {
  if (size > archiveLimits.isolatedBytes) {
    const [is, most] = [binarySize(size), binarySize(archiveLimits.isolatedBytes)];
    throw new OrielError('LIMIT', `a ${format} archive is read up to ${most}, and this one is ${is}`);
  }
  const packed = (signal: AbortSignal): PackedInput => ({
    size,
    read: () => chunksOf(bytes, 0, size, WORKER_CHUNK_BYTES, signal),
  });
  return {
    format,
    async *entries(signal) {
      if (format === '7z') await checkSevenDirectory(bytes, size, signal);
      let index = 0;
      const job = { kind: 'list', size } as const;
      for await (const batch of pullFromWorker<ReportedMember[]>(job, packed(signal), signal)) {
        yield batch.map(({ name, link, ...told }): IsolatedMember => ({
          ...told,
          name: escapeName(name),
          index: index++,
          link: link === undefined ? undefined : escapeName(link),
        }));
      }
    },
    open({ index, encrypted }: IsolatedMember, signal) {
      if (encrypted) throw new OrielError('ENCRYPTED', 'it is encrypted');
      const job = { kind: 'member', size, index } as const;
      return metered(pullFromWorker<Uint8Array>(job, packed(signal), signal), () => size, budget);
    },
    // The worker has the whole archive in memory.
    working: () => size + LIBARCHIVE_BYTES,
  };
}

/** Checks that the directory at the end of a 7z is there, because libarchive takes an archive without it for an empty one. */
async function checkSevenDirectory(bytes: ByteSource, size: number, signal: AbortSignal): Promise<void> {
  const start = Buffer.from(await readAt(bytes, 0, SEVEN_START_BYTES, signal));
  const end =
    start.length < SEVEN_START_BYTES
      ? Number.POSITIVE_INFINITY
      : SEVEN_START_BYTES + Number(start.readBigUInt64LE(12)) + Number(start.readBigUInt64LE(20));
  if (end > size) throw new OrielError('CORRUPT', 'the file ends before its directory');
}
