/** 7z, rar and other archives, which libarchive reads in a worker. */

import { chunksOf, readAt } from '../../access/bytes.ts';
import { OrielError } from '../../errors.ts';
import { binarySize } from '../../render/units.ts';
import type { ByteSource } from '../../types/byte-source.ts';
import { archiveLimits } from './archive-limits.ts';
import { type Budget, metered } from './budget.ts';
import type { Container, Member } from './container.ts';
import type { IsolatedFormat } from './formats.ts';
import type { Told } from './libarchive.ts';
import { escapeName } from './member-names.ts';
import { type PackedInput, pullFromWorker } from './unpack.ts';

interface IsolatedMember extends Member {
  /** 0-based index in the archive. */
  readonly index: number;
}

const CHUNK = 1 << 20;
/** Bytes of the worker with the library and a dictionary of usual size. */
const WORKER_BYTES = 48 << 20;
/** The start of a 7z: signature, version, CRC, then offset and size of the directory. Source: 7zFormat.txt. */
const SEVEN_START_BYTES = 32;

export class Isolated implements Container {
  readonly format: IsolatedFormat;
  readonly #source: ByteSource;
  readonly #size: number;
  readonly #budget: Budget;

  /** Throws `LIMIT` for an archive too large to be read in memory. */
  constructor(format: IsolatedFormat, source: ByteSource, size: number, budget: Budget) {
    if (size > archiveLimits.isolatedBytes) {
      const [is, most] = [binarySize(size), binarySize(archiveLimits.isolatedBytes)];
      throw new OrielError('LIMIT', `a ${format} archive is read up to ${most}, and this one is ${is}`);
    }
    this.format = format;
    this.#source = source;
    this.#size = size;
    this.#budget = budget;
  }

  async *entries(signal: AbortSignal): AsyncGenerator<Member[]> {
    if (this.format === '7z') await this.#checkDirectory(signal);
    let index = 0;
    for await (const batch of pullFromWorker<Told[]>(
      { do: 'list', size: this.#size },
      this.#packed(signal),
      signal,
    )) {
      yield batch.map(({ name, link, ...told }): IsolatedMember => ({
        ...told,
        name: escapeName(name),
        index: index++,
        ...(link === undefined ? {} : { link: escapeName(link) }),
      }));
    }
  }

  open(member: IsolatedMember, signal: AbortSignal): AsyncIterable<Uint8Array> {
    if (member.encrypted) throw new OrielError('ENCRYPTED', 'it is encrypted');
    const job = { do: 'member', size: this.#size, index: member.index } as const;
    const bytes = pullFromWorker<Uint8Array>(job, this.#packed(signal), signal);
    return metered(bytes, () => this.#size, this.#budget);
  }

  /** The worker has the whole archive in memory. */
  working(): number {
    return this.#size + WORKER_BYTES;
  }

  /** Checks that the directory at the end of a 7z is there, because libarchive takes an archive without it for an empty one. */
  async #checkDirectory(signal: AbortSignal): Promise<void> {
    const start = Buffer.from(await readAt(this.#source, 0, SEVEN_START_BYTES, signal));
    const end =
      start.length < SEVEN_START_BYTES
        ? Number.POSITIVE_INFINITY
        : SEVEN_START_BYTES + Number(start.readBigUInt64LE(12)) + Number(start.readBigUInt64LE(20));
    if (end > this.#size) throw new OrielError('CORRUPT', 'the file ends before its directory');
  }

  #packed(signal: AbortSignal): PackedInput {
    return { size: this.#size, read: () => chunksOf(this.#source, 0, this.#size, CHUNK, signal) };
  }
}
