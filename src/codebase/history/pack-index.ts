/**
 * The index of a pack of git objects: finds the offset of an object in the pack by its id. The index file is searched in
 * small windows and never read whole. Source: gitformat-pack(5), version 2 with SHA-1 ids.
 */

/** A file that is read in windows. */
export interface WindowedFile {
  /** Bytes. */
  readonly size: number;
  /** Returns fewer than `length` bytes only at the end of the file. */
  read(from: number, length: number): Buffer;
}

/** The size of an object's id in bytes. */
export const ID = 20;

const MAGIC = Buffer.from([0xff, 0x74, 0x4f, 0x63, 0, 0, 0, 2]);

/** Byte offsets of the fan-out table and of the ids, in ascending order. Checksums, offsets and large offsets follow the ids. */
const FANOUT = 8;
const IDS = FANOUT + 4 * 256;

/** The sizes of their entries in bytes. */
const CHECKSUM = 4;
const OFFSET = 4;
const LARGE = 8;

/** Maximum ids in the last window of a binary search, which is searched linearly. */
const WINDOW = 128;

export class PackIndex {
  readonly #file: WindowedFile;
  /** For each value of the first byte of an id: the number of ids whose first byte is at most that. */
  readonly #fanout: Uint32Array;

  private constructor(file: WindowedFile, fanout: Uint32Array) {
    this.#file = file;
    this.#fanout = fanout;
  }

  /** Undefined if the file is not such an index, or is truncated. */
  static of(file: WindowedFile): PackIndex | undefined {
    const head = file.read(0, IDS);
    if (head.length < IDS || !head.subarray(0, FANOUT).equals(MAGIC)) return undefined;
    const fanout = Uint32Array.from({ length: 256 }, (_, i) => head.readUInt32BE(FANOUT + 4 * i));
    const isAscending = fanout.every((count, i) => i === 0 || count >= (fanout[i - 1] as number));
    const least = IDS + (fanout[255] as number) * (ID + CHECKSUM + OFFSET);
    return isAscending && file.size >= least ? new PackIndex(file, fanout) : undefined;
  }

  /** The byte offset of the object in the pack; undefined if it is not in the index. */
  offsetOf(id: Buffer): number | undefined {
    const first = id[0] as number;
    let low = first === 0 ? 0 : (this.#fanout[first - 1] as number);
    let high = this.#fanout[first] as number;
    while (high - low > WINDOW) {
      const middle = (low + high) >>> 1;
      if (this.#ids(middle, 1).compare(id) <= 0) low = middle;
      else high = middle;
    }
    const ids = this.#ids(low, high - low);
    for (let at = 0; at + ID <= ids.length; at += ID)
      if (ids.compare(id, 0, ID, at, at + ID) === 0) return this.#offset(low + at / ID);
    return undefined;
  }

  #ids(from: number, count: number): Buffer {
    return this.#file.read(IDS + ID * from, ID * count);
  }

  /** `no`: the 0-based position of the id. An offset with the high bit is the position of a large offset of 8 bytes. */
  #offset(no: number): number | undefined {
    const count = this.#fanout[255] as number;
    const offsets = IDS + count * (ID + CHECKSUM);
    const small = this.#file.read(offsets + OFFSET * no, OFFSET);
    if (small.length < OFFSET) return undefined;
    const offset = small.readUInt32BE(0);
    if (offset < 0x8000_0000) return offset;
    const large = this.#file.read(offsets + OFFSET * count + LARGE * (offset - 0x8000_0000), LARGE);
    return large.length < LARGE ? undefined : Number(large.readBigUInt64BE(0));
  }
}
