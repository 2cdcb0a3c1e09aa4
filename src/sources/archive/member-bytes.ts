/** Reads many small members of one archive one after the other, without unpacking everything before each of them again. */

import { headOf, readAt } from '../../access/bytes.ts';
import type { ByteSource } from '../../types/byte-source.ts';
import type { Call } from '../../types/call.ts';
import type { ArchiveIndex } from './archive-index.ts';
import { Budget } from './budget.ts';
import { WORKING } from './codecs.ts';
import type { FileSubject, Member } from './container.ts';
import { containerOf, unpack } from './open-container.ts';
import { type Unpacked, unpackedStream } from './unpacked.ts';

/** Reads the first `most` bytes of a member. Throws `CORRUPT`, `LIMIT` and the errors of reading the archive. */
export type ReadMember = (member: Member, most: number, signal: AbortSignal) => Promise<Uint8Array>;

/** Undefined for formats without random access to members: 7z, rar and others. */
export async function memberReader(
  { opened: { bytes, size } }: FileSubject,
  { format }: Extract<ArchiveIndex, { is: 'container' }>,
  call: Call,
): Promise<ReadMember | undefined> {
  if (typeof format === 'string' && format !== 'zip' && format !== 'tar') return undefined;
  const source = typeof format === 'object' ? await unpackedTar(format.tarIn, bytes, size, call) : bytes;
  const plain = typeof format === 'object' ? 'tar' : format;
  return async (member, most, signal) => {
    const container = containerOf(plain, { bytes: source, size, budget: new Budget() });
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
  { format }: Extract<ArchiveIndex, { is: 'container' }>,
  call: Call,
): Promise<(FileSubject & { readonly trouble: string | undefined }) | undefined> {
  if (typeof format !== 'object') return undefined;
  const { opened } = subject;
  const stream = await unpackedTarStream(format.tarIn, opened.bytes, opened.size, call);
  const { bytes, size } = await stream.whole();
  const { fd: _fd, sibling: _sibling, ...file } = opened;
  return {
    ...subject,
    head: await headOf(bytes, call.signal),
    opened: { ...file, size, bytes, close: () => Promise.resolve() },
    trouble: stream.trouble(),
  };
}

/** The tar in a compressed file, unpacked lazily as far as it is read. */
async function unpackedTar(
  codec: keyof typeof WORKING,
  bytes: ByteSource,
  size: number,
  call: Call,
): Promise<ByteSource> {
  return (await unpackedTarStream(codec, bytes, size, call)).bytes;
}

function unpackedTarStream(
  codec: keyof typeof WORKING,
  bytes: ByteSource,
  size: number,
  call: Call,
): Promise<Unpacked> {
  return unpackedStream(
    {
      of: bytes,
      options: { codec },
      working: WORKING[codec],
      open: ({ source, signal, progress }) =>
        unpack(codec, { bytes: source, size, budget: new Budget(progress) }, signal),
      refused: (error) => error,
    },
    call,
  );
}

async function firstBytes(chunks: AsyncIterable<Uint8Array>, most: number): Promise<Uint8Array> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    // Copied, because the buffer of a chunk is reused for the next one.
    parts.push(Buffer.from(chunk.subarray(0, most - length)));
    length += chunk.length;
    if (length >= most) break;
  }
  return Buffer.concat(parts);
}
