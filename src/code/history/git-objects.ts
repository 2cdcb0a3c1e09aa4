/**
 * Reads the objects of a repository, only from its `.git` directory: it runs no git, reads no configuration, follows no
 * link, and opens no directory that `alternates`, `commondir` or a `.git` file refers to. All functions are synchronous.
 */

import {
  closeHeld,
  type HeldDirectory,
  type HeldFile,
  openHeld,
  readHeld,
} from '../../files/held-directory.ts';
import { inflateSync } from '../../process/worker-ending.ts';

/** Maximum packs that are opened. `git gc --auto` merges packs when there are more than 50. */
const MAX_OPEN_PACKS = 64;

/** Maximum compressed bytes of an object in a file of its own (a loose object). */
const MAX_LOOSE_OBJECT_BYTES = 4 << 20;

export class GitRepository {
  readonly #objects: HeldDirectory | undefined;
  readonly #roots: readonly string[];
  readonly #packs: readonly GitPack[];
  readonly #open: HeldFile[] = [];

  /** `git`: the `.git` directory. `roots`: the paths (see `bytesOf`) outside which no directory is entered; empty: no roots. */
  constructor(git: HeldDirectory, roots: readonly string[]) {
    this.#roots = roots;
    this.#objects = enter(git, 'objects', roots);
    this.#packs = this.#objects ? this.#openPacks(this.#objects) : [];
  }

  /** The object with this id of 20 bytes. Undefined if it is missing, damaged or too large. */
  read(id: Buffer): GitObject | undefined {
    for (const pack of this.#packs) {
      const found = pack.read(id);
      if (found) return found;
    }
    return this.#loose(id.toString('hex'));
  }

  close(): void {
    this.#objects?.release();
    for (const file of this.#open.splice(0)) closeHeld(file);
  }

  #openPacks(objects: HeldDirectory): GitPack[] {
    const directory = enter(objects, 'pack', this.#roots);
    if (!directory) return [];
    try {
      const names = directory
        .entries(4 * MAX_OPEN_PACKS)
        .entries.flatMap(({ name }) => /^(pack-[0-9a-f]{40})\.idx$/.exec(name)?.[1] ?? []);
      return names.slice(0, MAX_OPEN_PACKS).flatMap((name) => {
        const indexFile = this.#openWindowed(directory, `${name}.idx`);
        const packFile = this.#openWindowed(directory, `${name}.pack`);
        const index = indexFile && PackIndex.of(indexFile);
        return packFile && index ? [new GitPack(packFile, index)] : [];
      });
    } finally {
      directory.release();
    }
  }

  /** The file stays open until `close`. */
  #openWindowed(directory: HeldDirectory, name: string): WindowedFile | undefined {
    const file = openFile(directory, name);
    if (!file) return undefined;
    this.#open.push(file);
    return { size: file.size, read: (from, length) => readPart(file, from, length) };
  }

  /** `id`: hexadecimal. */
  #loose(id: string): GitObject | undefined {
    const directory = this.#objects && enter(this.#objects, id.slice(0, 2), this.#roots);
    if (!directory) return undefined;
    const file = openFile(directory, id.slice(2));
    directory.release();
    if (!file) return undefined;
    try {
      return file.size > MAX_LOOSE_OBJECT_BYTES ? undefined : looseObject(readPart(file, 0, file.size));
    } finally {
      closeHeld(file);
    }
  }
}

/** Inflates and parses `TYPE SP SIZE NUL BYTES`. Undefined if it is damaged or too large. */
function looseObject(stored: Buffer): GitObject | undefined {
  let bytes: Buffer;
  try {
    bytes = inflateSync(stored, { maxOutputLength: MAX_GIT_OBJECT_BYTES });
  } catch {
    return undefined;
  }
  const head = /^(commit|tree|blob|tag) (\d{1,10})\0/.exec(bytes.subarray(0, 32).toString('latin1'));
  const body = bytes.subarray(head?.[0].length ?? 0);
  if (!head || body.length !== Number(head[2])) return undefined;
  return { kind: head[1] === 'commit' || head[1] === 'tree' ? head[1] : 'other', bytes: body };
}

/** Fewer bytes at the end of the file. */
function readPart(file: HeldFile, from: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(Math.max(0, Math.min(length, file.size - from)));
  return bytes.subarray(0, readHeld(file, bytes, 0, bytes.length, from));
}

/** Undefined unless it is a directory that may be entered. */
function enter(directory: HeldDirectory, name: string, roots: readonly string[]): HeldDirectory | undefined {
  try {
    return directory.enter(name, roots);
  } catch {
    return undefined;
  }
}

/** Undefined unless it is a regular file that may be opened. */
function openFile(directory: HeldDirectory, name: string): HeldFile | undefined {
  try {
    return openHeld(directory, name);
  } catch {
    return undefined;
  }
}

// A pack of git objects. Objects are read one by one in small windows: memory does not grow with the pack.
//
// isomorphic-git is not used: according to its issues (not measured here) it reads and hashes a whole pack before the first
// object. That takes as much memory as the pack has bytes, and fails for packs over 2 GiB.

export interface GitObject {
  readonly kind: 'commit' | 'tree' | 'other';
  readonly bytes: Buffer;
}

/** Maximum bytes of an object. Commits and directories are usually far smaller. */
const MAX_GIT_OBJECT_BYTES = 8 << 20;

/** Maximum length of a chain of deltas. git makes 50 by default, and at most 4,095. */
const MAX_DELTA_CHAIN = 4_096;

/** Maximum bytes of cached objects, which are often the bases of the next ones. */
const MAX_CACHED_OBJECTS_BYTES = 24 << 20;

/** The first read of an entry in bytes: its header, and the rest if it is small. */
const PACK_WINDOW_BYTES = 1024;

/** Types of entries. */
const COMMIT = 1;
const TREE = 2;
const OFFSET_DELTA = 6;
const ID_DELTA = 7;

interface PackEntry {
  readonly type: number;
  /** The inflated object, or delta. */
  readonly bytes: Buffer;
  /** The offset of the base object of a delta; undefined if it is invalid or not in this pack. */
  readonly base: number | undefined;
}

class GitPack {
  readonly #file: WindowedFile;
  readonly #index: PackIndex;
  /** By offset, the oldest first. */
  readonly #cached = new Map<number, GitObject>();
  #cachedBytes = 0;

  constructor(file: WindowedFile, index: PackIndex) {
    this.#file = file;
    this.#index = index;
  }

  /** The object with this id of 20 bytes. Undefined if it is missing, damaged or too large. */
  read(id: Buffer): GitObject | undefined {
    const offset = this.#index.offsetOf(id);
    return offset === undefined ? undefined : this.#readAt(offset);
  }

  /** Follows the chain of deltas down to an object that is cached or complete, then applies them upwards. */
  #readAt(offset: number): GitObject | undefined {
    const deltas: { readonly at: number; readonly bytes: Buffer }[] = [];
    let at = offset;
    let deltaBytes = 0;
    for (let known = this.#cached.get(at); ; known = this.#cached.get(at)) {
      if (known) return this.#applied(known, deltas);
      const entry = this.#entry(at);
      if (!entry) return undefined;
      if (entry.type !== OFFSET_DELTA && entry.type !== ID_DELTA)
        return this.#applied(this.#cache(at, { kind: nameOf(entry.type), bytes: entry.bytes }), deltas);
      deltaBytes += entry.bytes.length;
      if (
        entry.base === undefined ||
        deltas.length === MAX_DELTA_CHAIN ||
        deltaBytes > 2 * MAX_GIT_OBJECT_BYTES
      )
        return undefined;
      deltas.push({ at, bytes: entry.bytes });
      at = entry.base;
    }
  }

  /** Applies the deltas, the last one first. */
  #applied(
    base: GitObject,
    deltas: readonly { readonly at: number; readonly bytes: Buffer }[],
  ): GitObject | undefined {
    let object = base;
    for (const { at, bytes } of deltas.toReversed()) {
      const result = applyDelta(object.bytes, bytes, MAX_GIT_OBJECT_BYTES);
      if (!result) return undefined;
      object = this.#cache(at, { kind: base.kind, bytes: result });
    }
    return object;
  }

  /** Undefined if it is damaged or too large. */
  #entry(offset: number): PackEntry | undefined {
    const head = this.#file.read(offset, PACK_WINDOW_BYTES);
    let at = 0;
    const next = (): number => head[at++] ?? 0;
    let byte = next();
    const type = (byte >> 4) & 7;
    let size = byte & 0xf;
    for (let shift = 4; byte & 0x80 && shift < 32; shift += 7) {
      byte = next();
      size += (byte & 0x7f) * 2 ** shift;
    }
    if (size > MAX_GIT_OBJECT_BYTES) return undefined;
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
      base = this.#index.offsetOf(head.subarray(at, at + ID));
      at += ID;
    }
    const bytes = this.#inflated(offset + at, head.subarray(at), size);
    return bytes && { type, bytes, base };
  }

  #inflated(from: number, head: Buffer, size: number): Buffer | undefined {
    // Deflating may enlarge data, but only a little.
    const most = size + (size >> 8) + 64;
    const packed = head.length >= most ? head : this.#file.read(from, most);
    return inflated(packed, size);
  }

  #cache(at: number, object: GitObject): GitObject {
    this.#cached.set(at, object);
    this.#cachedBytes += object.bytes.length;
    for (const [oldest, { bytes }] of this.#cached) {
      if (this.#cachedBytes <= MAX_CACHED_OBJECTS_BYTES) break;
      this.#cached.delete(oldest);
      this.#cachedBytes -= bytes.length;
    }
    return object;
  }
}

function nameOf(type: number): GitObject['kind'] {
  return type === COMMIT ? 'commit' : type === TREE ? 'tree' : 'other';
}

/** Undefined if it is not valid deflated data, or its inflated size is not `size`. Bytes that follow it are ignored. */
function inflated(packed: Buffer, size: number): Buffer | undefined {
  try {
    const bytes = inflateSync(packed, { maxOutputLength: Math.max(1, size) });
    return bytes.length === size ? bytes : undefined;
  } catch {
    return undefined;
  }
}

// Applies a delta in a pack to its base object. Source: gitformat-pack(5), "Deltified representation".

/** The object. Undefined if the delta is damaged or for another base, or if the object has more than `most` bytes. */
function applyDelta(base: Buffer, delta: Buffer, most: number): Buffer | undefined {
  const reader = new Reader(delta);
  if (reader.size() !== base.length) return undefined;
  const size = reader.size();
  if (size > most) return undefined;
  const object = Buffer.allocUnsafe(size);
  let filled = 0;
  while (!reader.isDone) {
    const step = reader.byte();
    // The first byte of an instruction: copy from the base, or insert so many bytes; 0 is reserved.
    const part = step & 0x80 ? copiedPart(base, step, reader) : step > 0 ? reader.bytes(step) : undefined;
    if (!part || filled + part.length > size) return undefined;
    part.copy(object, filled);
    filled += part.length;
  }
  return filled === size && !reader.isCut ? object : undefined;
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
// small windows and never read whole. Source: gitformat-pack(5), version 2 with SHA-1 ids.

/** A file that is read in windows. */
interface WindowedFile {
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
const INDEX_WINDOW_BYTES = 128;

class PackIndex {
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
    while (high - low > INDEX_WINDOW_BYTES) {
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
