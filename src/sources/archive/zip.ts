/**
 * Zip archives: a listing reads only the central directory, a member only its own bytes. yauzl 3.4.0 was tried: it makes two
 * reads per entry (200,002 for 100,000 entries), rejects archives with bytes before or after them (self-extractors,
 * appended signatures), and ends the listing at the first bad record.
 */

import { crc32 } from 'node:zlib';
import { chunksOf, readAt, sliceBytes } from '../../access/bytes.ts';
import { isOrielError, OrielError } from '../../errors.ts';
import type { ByteSource } from '../../types/byte-source.ts';
import { archiveLimits } from './archive-limits.ts';
import type { Budget } from './budget.ts';
import { type Codec, unpacked, WORKING } from './codecs.ts';
import type { Container, Member } from './container.ts';
import { printName } from './member-names.ts';
import { findDirectory } from './zip-directory.ts';
import { readRecords, recordName, type ZipRecord } from './zip-records.ts';

type ZipMember = Member & ZipRecord;

const LOCAL_BYTES = 30;
const LOCAL_SIGNATURE = 0x04034b50;
/** Bytes per read of packed data. */
const CHUNK = 256 << 10;

/** The factor by which a codec can enlarge a short content that it cannot compress. */
const MOST_PACKED = 2;

/** Compression methods. Source: APPNOTE.TXT 4.4.5. */
const CODECS = new Map<number, Codec>([
  [8, 'deflate'],
  [12, 'bzip2'],
  [93, 'zstd'],
  [95, 'xz'],
]);

export class Zip implements Container {
  readonly format = 'zip';
  readonly #source: ByteSource;
  readonly #size: number;
  readonly #budget: Budget;

  constructor(source: ByteSource, size: number, budget: Budget) {
    this.#source = source;
    this.#size = size;
    this.#budget = budget;
  }

  async *entries(signal: AbortSignal): AsyncGenerator<Member[]> {
    const directory = await findDirectory(this.#source, this.#size, signal);
    // Not for a remote archive, where each header would be a request.
    const compare = !this.#source.remote && directory.count <= archiveLimits.localHeaders;
    let seen = 0;
    for await (const records of readRecords(this.#source, directory, signal)) {
      const members: Member[] = [];
      for (const record of records) {
        const member = record.type === 'symlink' ? await this.#withTarget(record, signal) : record;
        const isCompared = compare && seen < archiveLimits.localHeaders;
        seen += 1;
        const other = isCompared ? await this.#otherName(record, signal) : undefined;
        if (other === undefined) members.push(member);
        else {
          members.push({ ...member, trouble: `its local header calls it ${other}` });
          const trouble = `the zip directory calls it ${member.name}`;
          members.push({ ...member, name: other, alias: true, trouble });
        }
      }
      yield members;
    }
  }

  async *open(member: ZipMember, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    if (member.encrypted) throw new OrielError('ENCRYPTED', 'it is encrypted');
    const start = await this.#dataStart(member, signal);
    const end = Math.min(start + member.packed, this.#size);
    const read = (): AsyncIterable<Uint8Array> => chunksOf(this.#source, start, end, CHUNK, signal);
    const codec = CODECS.get(member.method);
    if (!codec && member.method !== 0) {
      throw new OrielError('UNSUPPORTED', `its zip compression method ${member.method} is not supported`);
    }
    let crc = 0;
    let size = 0;
    const packed = { size: end - start, read };
    for await (const chunk of codec ? unpacked(codec, packed, this.#budget, signal) : read()) {
      crc = crc32(chunk, crc);
      size += chunk.length;
      yield chunk;
    }
    if (size !== member.size) {
      throw new OrielError('CORRUPT', `it has ${size} bytes, and ${member.size} were declared`);
    }
    if (crc !== member.crc) throw new OrielError('CORRUPT', 'its CRC does not match');
  }

  working({ method }: ZipMember): number {
    const codec = CODECS.get(method);
    return codec ? WORKING[codec] : CHUNK;
  }

  /** A member without compression is read at its offset. Its CRC is not checked, because that would need all of its bytes. */
  async inPlace(member: ZipMember, signal: AbortSignal): Promise<ByteSource | undefined> {
    const stored = member.method === 0 && !member.encrypted && member.packed === member.size;
    const least = this.#source.remote ? CHUNK : archiveLimits.spoolMemory;
    if (!stored || member.size <= least) return undefined;
    const start = await this.#dataStart(member, signal);
    return start + member.size <= this.#size ? sliceBytes(this.#source, start, member.size) : undefined;
  }

  /** Adds the target of a symlink, which is its content. A content that is longer than declared gives no target. */
  async #withTarget(record: ZipRecord, signal: AbortSignal): Promise<ZipRecord & { link?: string }> {
    const { linkBytes } = archiveLimits;
    if (record.encrypted || record.size > linkBytes || record.packed > MOST_PACKED * linkBytes) return record;
    try {
      const target = Buffer.alloc(record.size);
      let length = 0;
      for await (const chunk of this.open(record, signal)) {
        if (length + chunk.length > target.length) return record;
        target.set(chunk, length);
        length += chunk.length;
      }
      return { ...record, link: printName(target) };
    } catch (error) {
      signal.throwIfAborted();
      if (isOrielError(error)) return record;
      throw error;
    }
  }

  /** The name in the local header if it differs: some tools unpack the member under that name. */
  async #otherName(record: ZipRecord, signal: AbortSignal): Promise<string | undefined> {
    const fixed = await this.#localHeader(record, signal);
    if (!fixed) return undefined;
    const nameBytes = fixed.readUInt16LE(26);
    const length = nameBytes + fixed.readUInt16LE(28);
    const rest = Buffer.from(await readAt(this.#source, record.local + LOCAL_BYTES, length, signal));
    const utf8 = (fixed.readUInt16LE(6) & 0x800) !== 0;
    // Cut to the same length as the name in the directory record.
    const compared = Math.min(nameBytes, archiveLimits.nameBytes + 1);
    const name = recordName(rest.subarray(0, compared), rest.subarray(nameBytes), utf8);
    return name === record.name ? undefined : name;
  }

  async #dataStart(member: ZipRecord, signal: AbortSignal): Promise<number> {
    const fixed = await this.#localHeader(member, signal);
    if (!fixed) throw new OrielError('CORRUPT', 'its local header is damaged');
    return member.local + LOCAL_BYTES + fixed.readUInt16LE(26) + fixed.readUInt16LE(28);
  }

  async #localHeader(record: ZipRecord, signal: AbortSignal): Promise<Buffer | undefined> {
    if (record.local < 0 || record.local + LOCAL_BYTES > this.#size) return undefined;
    const fixed = Buffer.from(await readAt(this.#source, record.local, LOCAL_BYTES, signal));
    return fixed.readUInt32LE(0) === LOCAL_SIGNATURE ? fixed : undefined;
  }
}
