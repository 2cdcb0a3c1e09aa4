/**
 * The index of a pack of git objects: where in the pack the object with an id is. It is searched where it is, in small
 * windows. Source: gitformat-pack(5), version 2 with ids of SHA-1.
 */

/** A file that is read in windows. What comes back is shorter only at its end. */
export interface Windowed {
  readonly size: number;
  read(from: number, length: number): Buffer;
}

/** Bytes of an object's id. */
export const ID = 20;

const MAGIC = Buffer.from([0xff, 0x74, 0x4f, 0x63, 0, 0, 0, 2]);
const FANOUT = 8;
const IDS = FANOUT + 4 * 256;
const CHECKSUM = 4;
const OFFSET = 4;
const LARGE = 8;

/** Ids that are read at once. */
const WINDOW = 128;

export class PackIndex {
  readonly #file: Windowed;
  /** By the first byte of an id: how many ids begin with that byte, or a lower one. */
  readonly #fanout: Uint32Array;

  private constructor(file: Windowed, fanout: Uint32Array) {
    this.#file = file;
    this.#fanout = fanout;
  }

  /** Undefined for what is no such index, or is cut off. */
  static of(file: Windowed): PackIndex | undefined {
    const head = file.read(0, IDS);
    if (head.length < IDS || !head.subarray(0, FANOUT).equals(MAGIC)) return undefined;
    const fanout = Uint32Array.from({ length: 256 }, (_, i) => head.readUInt32BE(FANOUT + 4 * i));
    const isRising = fanout.every((count, i) => i === 0 || count >= (fanout[i - 1] as number));
    const least = IDS + (fanout[255] as number) * (ID + CHECKSUM + OFFSET);
    return isRising && file.size >= least ? new PackIndex(file, fanout) : undefined;
  }

  /** The byte of the pack at which the object begins. */
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
