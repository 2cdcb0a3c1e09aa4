/**
 * A pack of git objects. Objects are read one by one in small windows: memory does not grow with the pack.
 *
 * isomorphic-git is not used: according to its issues (not measured here) it reads and hashes a whole pack before the first
 * object. That takes as much memory as the pack has bytes, and fails for packs over 2 GiB.
 */

import { constants } from 'node:zlib';
import { inflateSync } from '../process/worker-ending.ts';

export interface GitObject {
  readonly kind: 'commit' | 'tree' | 'blob' | 'tag';
  readonly bytes: Buffer;
}

/** An object is there and cannot be read. */
export class UnreadableObject extends Error {}

/** Maximum bytes of an object, which is in memory as a whole. */
export const MAX_GIT_OBJECT_BYTES = 32 << 20;

/** Maximum ids that an abbreviated id is compared with. */
export const MAX_ABBREVIATED_IDS = 16;

/** Maximum length of a chain of deltas. git makes 50 by default, and at most 4,095. */
const MAX_DELTA_CHAIN = 4_096;

/** Maximum bytes of cached objects, which are often the bases of the next ones. */
const MAX_CACHED_OBJECTS_BYTES = 24 << 20;

/** The first read of an entry in bytes: its header, and the rest if it is small. */
const PACK_WINDOW_BYTES = 1024;

export function tooLarge(): UnreadableObject {
  return new UnreadableObject(`it has more than ${MAX_GIT_OBJECT_BYTES >> 20} MiB`);
}

export function damaged(): UnreadableObject {
  return new UnreadableObject('it is damaged');
}

/** Types of entries. */
const KINDS: Readonly<Record<number, GitObject['kind']>> = { 1: 'commit', 2: 'tree', 3: 'blob', 4: 'tag' };
const OFFSET_DELTA = 6;
const ID_DELTA = 7;

interface PackEntry {
  readonly type: number;
  /** The inflated object, or delta. */
  readonly bytes: Buffer;
  /** The offset of the base object of a delta; undefined if it is invalid or not in this pack. */
  readonly base: number | undefined;
}

/** The objects read last. */
export class ObjectCache {
  readonly #cached = new Map<string, GitObject>();
  #bytes = 0;

  get(key: string): GitObject | undefined {
    return this.#cached.get(key);
  }

  set(key: string, object: GitObject): GitObject {
    this.#cached.set(key, object);
    this.#bytes += object.bytes.length;
    for (const [oldest, { bytes }] of this.#cached) {
      if (this.#bytes <= MAX_CACHED_OBJECTS_BYTES) break;
      this.#cached.delete(oldest);
      this.#bytes -= bytes.length;
    }
    return object;
  }
}

export class GitPack {
  readonly #name: string;
  readonly #file: WindowedFile;
  readonly #index: PackIndex;
  readonly #cache: ObjectCache;

  constructor(name: string, file: WindowedFile, index: PackIndex, cache: ObjectCache) {
    this.#name = name;
    this.#file = file;
    this.#index = index;
    this.#cache = cache;
  }

  /** The object with this id, or the `head` of one that is stored whole. Undefined if it is not in this pack. */
  read(id: Buffer, head?: number): GitObject | undefined {
    const offset = this.#index.offsetOf(id);
    if (offset === undefined) return undefined;
    const { type, bytes } = head === undefined ? { type: 0, bytes: NONE } : this.#entry(offset, head);
    const kind = KINDS[type];
    return kind ? { kind, bytes } : this.#readAt(offset);
  }

  idsWith(digits: string): string[] {
    return this.#index.idsWith(digits);
  }

  /** Follows the chain of deltas down to an object that is cached or complete, then applies them upwards. */
  #readAt(offset: number): GitObject {
    const deltas: { readonly at: number; readonly bytes: Buffer }[] = [];
    let at = offset;
    let deltaBytes = 0;
    for (let known = this.#cached(at); ; known = this.#cached(at)) {
      if (known) return this.#applied(known, deltas);
      const { type, bytes, base } = this.#entry(at);
      const kind = KINDS[type];
      if (kind) return this.#applied(this.#cache.set(`${this.#name} ${at}`, { kind, bytes }), deltas);
      deltaBytes += bytes.length;
      if (base === undefined || deltas.length === MAX_DELTA_CHAIN) throw damaged();
      if (deltaBytes > MAX_GIT_OBJECT_BYTES) throw tooLarge();
      deltas.push({ at, bytes });
      at = base;
    }
  }

  #cached(at: number): GitObject | undefined {
    return this.#cache.get(`${this.#name} ${at}`);
  }

  /** Applies the deltas, the last one first. */
  #applied(base: GitObject, deltas: readonly { readonly at: number; readonly bytes: Buffer }[]): GitObject {
    let object = base;
    for (const { at, bytes } of deltas.toReversed()) {
      const result = applyDelta(object.bytes, bytes);
      object = this.#cache.set(`${this.#name} ${at}`, { kind: base.kind, bytes: result });
    }
    return object;
  }

  #entry(offset: number, most?: number): PackEntry {
    const head = this.#file.read(offset, PACK_WINDOW_BYTES);
    let at = 0;
    const next = (): number => head[at++] ?? 0;
    let byte = next();
    const type = (byte >> 4) & 7;
    let size = byte & 0xf;
    for (let shift = 4; byte & 0x80 && shift < 53; shift += 7) {
      byte = next();
      size += (byte & 0x7f) * 2 ** shift;
    }
    if (size > MAX_GIT_OBJECT_BYTES) throw tooLarge();
    let base: number | undefined;
    if (type === OFFSET_DELTA) {
      byte = next();
      let back = byte & 0x7f;
      for (let i = 0; byte & 0x80 && i < 7; i += 1) {
        byte = next();
        back = (back + 1) * 128 + (byte & 0x7f);
      }
      base = back > 0 && back < offset ? offset - back : undefined;
    }
    if (type === ID_DELTA) {
      const { idBytes } = this.#index;
      base = this.#index.offsetOf(head.subarray(at, at + idBytes));
      at += idBytes;
    }
    const isWhole = most === undefined || size <= most || !KINDS[type];
    const bytes = isWhole
      ? this.#inflated(offset + at, head.subarray(at), size)
      : inflatedHead(this.#file.read(offset + at, most));
    return { type, bytes, base };
  }

  #inflated(from: number, head: Buffer, size: number): Buffer {
    // Deflating may enlarge data, but only a little.
    const most = size + (size >> 8) + 64;
    const packed = head.length >= most ? head : this.#file.read(from, most);
    let bytes: Buffer | undefined;
    try {
      // Bytes that follow the deflated ones are ignored.
      bytes = inflateSync(packed, { maxOutputLength: Math.max(1, size) });
    } catch {
      // Damaged, or larger than it says.
    }
    if (bytes?.length !== size) throw damaged();
    return bytes;
  }
}

const NONE = Buffer.alloc(0);

/** What the first bytes of a deflated text hold. */
export function inflatedHead(packed: Buffer): Buffer {
  try {
    return inflateSync(packed, {
      finishFlush: constants.Z_SYNC_FLUSH,
      maxOutputLength: MAX_GIT_OBJECT_BYTES,
    });
  } catch {
    throw damaged();
  }
}

// Applies a delta in a pack to its base object. Source: gitformat-pack(5), "Deltified representation".

/** Throws if the delta is damaged or for another base, or if the object is too large. */
function applyDelta(base: Buffer, delta: Buffer): Buffer {
  const reader = new Reader(delta);
  if (reader.size() !== base.length) throw damaged();
  const size = reader.size();
  if (size > MAX_GIT_OBJECT_BYTES) throw tooLarge();
  const object = Buffer.allocUnsafe(size);
  let filled = 0;
  while (!reader.isDone) {
    const step = reader.byte();
    // The first byte of an instruction: copy from the base, or insert so many bytes; 0 is reserved.
    const part = step & 0x80 ? copiedPart(base, step, reader) : step > 0 ? reader.bytes(step) : undefined;
    if (!part || filled + part.length > size) throw damaged();
    part.copy(object, filled);
    filled += part.length;
  }
  if (filled !== size || reader.isCut) throw damaged();
  return object;
}

/**
 * The part of the base that a copy instruction means. The low bits of `step` say which bytes of the offset (4) and of the
 * length (3) follow; the others are 0.
 */
function copiedPart(base: Buffer, step: number, reader: Reader): Buffer | undefined {
  let [from, length] = [0, 0];
  for (let i = 0; i < 4; i += 1) if (step & (1 << i)) from += reader.byte() * 2 ** (8 * i);
  for (let i = 0; i < 3; i += 1) if (step & (0x10 << i)) length += reader.byte() * 2 ** (8 * i);
  if (length === 0) length = 0x1_0000;
  return from + length <= base.length ? base.subarray(from, from + length) : undefined;
}

class Reader {
  /** Whether a read went beyond the end, or a size was too long. */
  isCut = false;
  #at = 0;
  readonly #bytes: Buffer;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isDone(): boolean {
    return this.#at >= this.#bytes.length;
  }

  /** 0 at the end. */
  byte(): number {
    const value = this.#bytes[this.#at];
    this.#at += 1;
    this.isCut ||= value === undefined;
    return value ?? 0;
  }

  /** Fewer bytes at the end. */
  bytes(length: number): Buffer {
    const found = this.#bytes.subarray(this.#at, this.#at + length);
    this.#at += length;
    this.isCut ||= found.length < length;
    return found;
  }

  /** A number with seven bits in each byte, the lowest ones first; the high bit says that another byte follows. */
  size(): number {
    let value = 0;
    for (let shift = 0; shift <= 49; shift += 7) {
      const byte = this.byte();
      value += (byte & 0x7f) * 2 ** shift;
      if (!(byte & 0x80)) return value;
    }
    this.isCut = true;
    return Number.POSITIVE_INFINITY;
  }
}

// The index of a pack of git objects: finds the offset of an object in the pack by its id. The index file is searched in
// small windows and never read whole. Source: gitformat-pack(5), version 2.

/** A file that is read in windows. */
export interface WindowedFile {
  /** Bytes. */
  readonly size: number;
  /** Returns fewer than `length` bytes only at the end of the file. */
  read(from: number, length: number): Buffer;
}

const MAGIC = Buffer.from([0xff, 0x74, 0x4f, 0x63, 0, 0, 0, 2]);

/** Byte offsets of the fan-out table and of the ids, in ascending order. Checksums, offsets and large offsets follow the ids. */
const FANOUT = 8;
const IDS = FANOUT + 4 * 256;

/** The sizes of their entries in bytes. */
const CHECKSUM = 4;
const OFFSET = 4;
const LARGE = 8;

/** Maximum ids in the last window of a binary search, which is searched linearly. */
const INDEX_WINDOW_IDS = 128;

export class PackIndex {
  readonly idBytes: number;
  readonly #file: WindowedFile;
  /** For each value of the first byte of an id: the number of ids whose first byte is at most that. */
  readonly #fanout: Uint32Array;

  private constructor(file: WindowedFile, fanout: Uint32Array, idBytes: number) {
    this.#file = file;
    this.#fanout = fanout;
    this.idBytes = idBytes;
  }

  /** Undefined if the file is not such an index, or is truncated. */
  static of(file: WindowedFile, idBytes: number): PackIndex | undefined {
    const head = file.read(0, IDS);
    if (head.length < IDS || !head.subarray(0, FANOUT).equals(MAGIC)) return undefined;
    const fanout = Uint32Array.from({ length: 256 }, (_, i) => head.readUInt32BE(FANOUT + 4 * i));
    const isAscending = fanout.every((count, i) => i === 0 || count >= (fanout[i - 1] as number));
    const least = IDS + (fanout[255] as number) * (idBytes + CHECKSUM + OFFSET);
    return isAscending && file.size >= least ? new PackIndex(file, fanout, idBytes) : undefined;
  }

  /** The byte offset of the object in the pack; undefined if it is not in the index. */
  offsetOf(id: Buffer): number | undefined {
    const { from, ids } = this.#near(id);
    const size = this.idBytes;
    for (let at = 0; at + size <= ids.length; at += size)
      if (ids.compare(id, 0, size, at, at + size) === 0) return this.#offset(from + at / size);
    return undefined;
  }

  /** The first ids that begin with these hexadecimal digits. */
  idsWith(digits: string): string[] {
    const lowest = Buffer.from(digits.padEnd(2 * this.idBytes, '0'), 'hex');
    const { from } = this.#near(lowest);
    const ids = this.#ids(from, INDEX_WINDOW_IDS + MAX_ABBREVIATED_IDS).toString('hex');
    const all = ids.match(new RegExp(`.{${2 * this.idBytes}}`, 'g')) ?? [];
    return all.filter((id) => id.startsWith(digits));
  }

  /** The window of ids in which `id` is if it is in the index; `from` is the 0-based position of its first one. */
  #near(id: Buffer): { readonly from: number; readonly ids: Buffer } {
    const first = id[0] as number;
    let low = first === 0 ? 0 : (this.#fanout[first - 1] as number);
    let high = this.#fanout[first] as number;
    while (high - low > INDEX_WINDOW_IDS) {
      const middle = (low + high) >>> 1;
      if (this.#ids(middle, 1).compare(id) <= 0) low = middle;
      else high = middle;
    }
    return { from: low, ids: this.#ids(low, high - low) };
  }

  /** Checksums follow the ids. */
  #ids(from: number, count: number): Buffer {
    const all = this.#fanout[255] as number;
    return this.#file.read(IDS + this.idBytes * from, this.idBytes * Math.min(count, all - from));
  }

  /** `no`: the 0-based position of the id. An offset with the high bit is the position of a large offset of 8 bytes. */
  #offset(no: number): number | undefined {
    const count = this.#fanout[255] as number;
    const offsets = IDS + count * (this.idBytes + CHECKSUM);
    const small = this.#file.read(offsets + OFFSET * no, OFFSET);
    if (small.length < OFFSET) return undefined;
    const offset = small.readUInt32BE(0);
    if (offset < 0x8000_0000) return offset;
    const large = this.#file.read(offsets + OFFSET * count + LARGE * (offset - 0x8000_0000), LARGE);
    return large.length < LARGE ? undefined : Number(large.readBigUInt64BE(0));
  }
}
