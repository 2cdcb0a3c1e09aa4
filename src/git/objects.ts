/**
 * Reads the objects and small files of a repository through directories that are held open: it runs no git and follows no
 * link. All functions are synchronous, for worker threads.
 */

import { createHash } from 'node:crypto';
import {
  closeHeld,
  HeldDirectory,
  type HeldFile,
  openHeld,
  pathToLatin1,
  readHeld,
  skipFiles,
} from '../files/held-directory.ts';
import type { KeptFiles } from '../files/kept-files.ts';
import { inflateSync } from '../process/worker-ending.ts';

/** Maximum packs that are open at a time: two descriptors each. */
const MAX_OPEN_PACKS = 32;

/** Maximum packs of a repository. `git gc --auto` merges packs when there are more than 50. */
const MAX_PACKS = 4_096;

/** Maximum loose objects whose ids begin with the same byte, of which one is found by an abbreviated id. */
const MAX_LOOSE_ENTRIES = 100_000;

/** Maximum ids that an abbreviated id is compared with. */
const MAX_ABBREVIATED_IDS = 16;

/** A directory that another thread holds open, with its real path. */
export interface OpenDescriptor {
  readonly path: string;
  readonly fd: number;
}

/** A repository, as it is sent to a thread. */
export interface RepositoryHandles {
  /** What belongs to one work tree: HEAD and the index. */
  readonly git: OpenDescriptor;
  /** Objects and other refs; the same as `git` but for a further work tree. */
  readonly common: OpenDescriptor;
  /** Further directories of objects. */
  readonly alternates: readonly OpenDescriptor[];
  /** Real paths; empty if there are none. */
  readonly roots: readonly string[];
  /** Files that must not be opened, and the rules for private files. */
  readonly kept: KeptFiles;
  readonly denied?: string | undefined;
}

/** An object is there and cannot be read. */
export class UnreadableObject extends Error {}

/** A repository in a thread. `close` it. */
export class GitRepository {
  /** The size of an id in bytes: 20, or 32 for SHA-256. */
  readonly idBytes: 20 | 32;
  /** The text of its configuration file. */
  readonly config: string;
  readonly #git: HeldDirectory;
  readonly #common: HeldDirectory;
  readonly #roots: readonly string[];
  readonly #stores: readonly ObjectStore[];

  constructor({ git, common, alternates, roots, kept, denied }: RepositoryHandles) {
    skipFiles(kept, denied);
    this.#git = HeldDirectory.adopt(git.path, git.fd);
    this.#common = common === git ? this.#git.share() : HeldDirectory.adopt(common.path, common.fd);
    // Comparable with the paths of held directories.
    this.#roots = roots.map(pathToLatin1);
    this.config = this.text('config', MAX_CONFIG_BYTES, 'common') ?? '';
    this.idBytes = /^[ \t]*objectformat\s*=\s*sha256\s*$/im.test(this.config) ? 32 : 20;
    const own = enter(this.#common, 'objects', this.#roots);
    const others = alternates.map(({ path, fd }) => HeldDirectory.adopt(path, fd));
    this.#stores = [...(own ? [own] : []), ...others].map(
      (directory) => new ObjectStore(directory, this.#roots, this.idBytes),
    );
  }

  /** The object with this id. Undefined if it is missing. Throws `UnreadableObject` if it is damaged or too large. */
  read(id: Buffer): GitObject | undefined {
    let failure: UnreadableObject | undefined;
    for (const store of this.#stores) {
      try {
        const found = store.read(id);
        if (found) return found;
      } catch (error) {
        if (!(error instanceof UnreadableObject)) throw error;
        failure = error;
      }
    }
    if (failure) throw failure;
    return undefined;
  }

  /** Whether the id is that of the bytes: git compares them when it receives objects, not when it reads them. */
  isIntact(id: Buffer, { kind, bytes }: GitObject): boolean {
    const hash = createHash(this.idBytes === 32 ? 'sha256' : 'sha1');
    return hash.update(`${kind} ${bytes.length}\0`).update(bytes).digest().equals(id);
  }

  /** The ids that begin with these hexadecimal digits (at least four); at most 16. */
  idsWith(digits: string): string[] {
    const found = this.#stores.flatMap((store) => store.idsWith(digits));
    return [...new Set(found)].slice(0, MAX_ABBREVIATED_IDS);
  }

  /** Whether objects were left out of the clone. */
  get isPartial(): boolean {
    return /^[ \t]*(?:partialclone|promisor)\s*=/im.test(this.config);
  }

  /** A file of the repository as Latin-1; `path` is Latin-1, too. Undefined if it cannot be read, or has more than `most` bytes. */
  text(path: string, most: number, from: 'git' | 'common'): string | undefined {
    return this.bytes(path, most, from)?.toString('latin1');
  }

  bytes(path: string, most: number, from: 'git' | 'common'): Buffer | undefined {
    const file = this.#open(path, from);
    if (!file) return undefined;
    try {
      return file.size > most ? undefined : readPart(file, 0, file.size);
    } finally {
      closeHeld(file);
    }
  }

  /** The files below a directory of the common part, as paths from there; at most `most`. */
  filesBelow(path: string, most: number): string[] {
    const found: string[] = [];
    const visit = (directory: HeldDirectory, front: string, depth: number): void => {
      for (const { name, kind } of directory.entries(most).entries) {
        if (found.length >= most) return;
        if (kind === 'file') found.push(front + name);
        const inner = kind === 'directory' && depth < 16 ? enter(directory, name, this.#roots) : undefined;
        if (!inner) continue;
        visit(inner, `${front}${name}/`, depth + 1);
        inner.release();
      }
    };
    this.#inDirectory(path.split('/'), 'common', (directory) => visit(directory, '', 0));
    return found;
  }

  close(): void {
    for (const store of this.#stores) store.close();
    this.#common.release();
    this.#git.release();
  }

  #open(path: string, from: 'git' | 'common'): HeldFile | undefined {
    const names = path.split('/');
    const last = names.pop() as string;
    return this.#inDirectory(names, from, (directory) => openFile(directory, last));
  }

  #inDirectory<T>(
    names: readonly string[],
    from: 'git' | 'common',
    act: (directory: HeldDirectory) => T,
  ): T | undefined {
    let at = (from === 'git' ? this.#git : this.#common).share();
    for (const name of names) {
      const inner = enter(at, name, this.#roots);
      at.release();
      if (!inner) return undefined;
      at = inner;
    }
    try {
      return act(at);
    } finally {
      at.release();
    }
  }
}

/** Maximum bytes of the configuration file. */
const MAX_CONFIG_BYTES = 1 << 20;

/** A directory of objects: packs, and loose objects, each a file of its own. */
class ObjectStore {
  readonly #directory: HeldDirectory;
  readonly #packs: HeldDirectory | undefined;
  readonly #names: readonly string[];
  readonly #roots: readonly string[];
  readonly #idBytes: number;
  readonly #cache = new ObjectCache();
  /** The one opened last is at the end. Undefined: it cannot be read. */
  readonly #open = new Map<string, { pack?: GitPack | undefined; files: HeldFile[] }>();

  constructor(directory: HeldDirectory, roots: readonly string[], idBytes: number) {
    this.#directory = directory;
    this.#roots = roots;
    this.#idBytes = idBytes;
    this.#packs = enter(directory, 'pack', roots);
    const entries = this.#packs?.entries(4 * MAX_PACKS).entries ?? [];
    this.#names = entries.flatMap(({ name }) => /^(pack-[0-9a-f]{40,64})\.idx$/.exec(name)?.[1] ?? []);
  }

  read(id: Buffer): GitObject | undefined {
    let failure: unknown;
    for (const pack of this.#each()) {
      try {
        const found = pack.read(id);
        if (found) return found;
      } catch (error) {
        if (!(error instanceof UnreadableObject)) throw error;
        failure = error;
      }
    }
    const name = id.toString('hex');
    const known = this.#cache.get(name);
    if (known) return known;
    const loose = this.#loose(name);
    if (!loose && failure) throw failure as UnreadableObject;
    return loose && this.#cache.set(name, loose);
  }

  idsWith(digits: string): string[] {
    const packed = [...this.#each()].flatMap((pack) => pack.idsWith(digits));
    const directory = enter(this.#directory, digits.slice(0, 2), this.#roots);
    if (!directory) return packed;
    const loose = directory
      .entries(MAX_LOOSE_ENTRIES)
      .entries.map(({ name }) => digits.slice(0, 2) + name)
      .filter((id) => id.startsWith(digits) && id.length === 2 * this.#idBytes);
    directory.release();
    return [...packed, ...loose];
  }

  close(): void {
    for (const name of this.#open.keys()) this.#closePack(name);
    this.#packs?.release();
    this.#directory.release();
  }

  /** All packs that can be read, the open ones first. */
  *#each(): Generator<GitPack> {
    const open = [...this.#open.keys()];
    for (const name of [...open.toReversed(), ...this.#names.filter((one) => !this.#open.has(one))]) {
      const pack = (this.#open.get(name) ?? this.#openPack(name)).pack;
      if (pack) yield pack;
    }
  }

  #openPack(name: string): { pack?: GitPack | undefined; files: HeldFile[] } {
    const [oldest] = this.#open.keys();
    if (this.#open.size >= MAX_OPEN_PACKS && oldest !== undefined) this.#closePack(oldest);
    const files = [`${name}.idx`, `${name}.pack`].flatMap((file) =>
      this.#packs ? (openFile(this.#packs, file) ?? []) : [],
    );
    const [indexFile, packFile] = files.map(windowed);
    const index = indexFile && PackIndex.of(indexFile, this.#idBytes);
    const pack = packFile && index && new GitPack(name, packFile, index, this.#cache);
    const opened = { pack, files };
    this.#open.set(name, opened);
    return opened;
  }

  #closePack(name: string): void {
    for (const file of this.#open.get(name)?.files ?? []) closeHeld(file);
    this.#open.delete(name);
  }

  /** `id`: hexadecimal. */
  #loose(id: string): GitObject | undefined {
    const directory = enter(this.#directory, id.slice(0, 2), this.#roots);
    if (!directory) return undefined;
    const file = openFile(directory, id.slice(2));
    directory.release();
    if (!file) return undefined;
    try {
      if (file.size > MAX_GIT_OBJECT_BYTES) throw tooLarge();
      return looseObject(readPart(file, 0, file.size));
    } finally {
      closeHeld(file);
    }
  }
}

function windowed(file: HeldFile): WindowedFile {
  return { size: file.size, read: (from, length) => readPart(file, from, length) };
}

function tooLarge(): UnreadableObject {
  return new UnreadableObject(`it has more than ${MAX_GIT_OBJECT_BYTES >> 20} MiB`);
}

function damaged(): UnreadableObject {
  return new UnreadableObject('it is damaged');
}

/** Inflates and parses `TYPE SP SIZE NUL BYTES`. */
function looseObject(stored: Buffer): GitObject {
  let bytes: Buffer;
  try {
    bytes = inflateSync(stored, { maxOutputLength: MAX_GIT_OBJECT_BYTES + 32 });
  } catch (error) {
    throw error instanceof RangeError ? tooLarge() : damaged();
  }
  const head = /^(commit|tree|blob|tag) (\d{1,10})\0/.exec(bytes.subarray(0, 32).toString('latin1'));
  const body = bytes.subarray(head?.[0].length ?? 0);
  if (!head || body.length !== Number(head[2])) throw damaged();
  return { kind: head[1] as GitObject['kind'], bytes: body };
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
  readonly kind: 'commit' | 'tree' | 'blob' | 'tag';
  readonly bytes: Buffer;
}

/** Maximum bytes of an object, which is in memory as a whole. */
const MAX_GIT_OBJECT_BYTES = 32 << 20;

/** Maximum length of a chain of deltas. git makes 50 by default, and at most 4,095. */
const MAX_DELTA_CHAIN = 4_096;

/** Maximum bytes of cached objects, which are often the bases of the next ones. */
const MAX_CACHED_OBJECTS_BYTES = 24 << 20;

/** The first read of an entry in bytes: its header, and the rest if it is small. */
const PACK_WINDOW_BYTES = 1024;

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
class ObjectCache {
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

class GitPack {
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

  /** The object with this id. Undefined if it is not in this pack. */
  read(id: Buffer): GitObject | undefined {
    const offset = this.#index.offsetOf(id);
    return offset === undefined ? undefined : this.#readAt(offset);
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

  #entry(offset: number): PackEntry {
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
    return { type, bytes: this.#inflated(offset + at, head.subarray(at), size), base };
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
interface WindowedFile {
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

class PackIndex {
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
