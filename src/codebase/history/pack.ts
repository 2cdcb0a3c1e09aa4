/**
 * A pack of git objects. Objects are read one by one in small windows: memory does not grow with the pack.
 *
 * isomorphic-git is not used: according to its issues (not measured here) it reads and hashes a whole pack before the first
 * object. That takes as much memory as the pack has bytes, and fails for packs over 2 GiB.
 */

import { inflateSync } from '../../access/uninterrupted.ts';
import { applyDelta } from './delta.ts';
import { ID, type PackIndex, type WindowedFile } from './pack-index.ts';

export interface GitObject {
  readonly is: 'commit' | 'tree' | 'other';
  readonly bytes: Buffer;
}

/** Maximum bytes of an object. Commits and directories are usually far smaller. */
export const MOST_BYTES = 8 << 20;

/** Maximum length of a chain of deltas. git makes 50 by default, and at most 4,095. */
const MOST_DELTAS = 4_096;

/** Maximum bytes of cached objects, which are often the bases of the next ones. */
const MOST_CACHED = 24 << 20;

/** The first read of an entry in bytes: its header, and the rest if it is small. */
const WINDOW = 1024;

/** Types of entries. */
const COMMIT = 1;
const TREE = 2;
const OFFSET_DELTA = 6;
const ID_DELTA = 7;

interface Entry {
  readonly type: number;
  /** The inflated object, or delta. */
  readonly bytes: Buffer;
  /** The offset of the base object of a delta; undefined if it is invalid or not in this pack. */
  readonly base: number | undefined;
}

export class Pack {
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
        return this.#applied(this.#cache(at, { is: nameOf(entry.type), bytes: entry.bytes }), deltas);
      deltaBytes += entry.bytes.length;
      if (entry.base === undefined || deltas.length === MOST_DELTAS || deltaBytes > 2 * MOST_BYTES)
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
      const result = applyDelta(object.bytes, bytes, MOST_BYTES);
      if (!result) return undefined;
      object = this.#cache(at, { is: base.is, bytes: result });
    }
    return object;
  }

  /** Undefined if it is damaged or too large. */
  #entry(offset: number): Entry | undefined {
    const head = this.#file.read(offset, WINDOW);
    let at = 0;
    const next = (): number => head[at++] ?? 0;
    let byte = next();
    const type = (byte >> 4) & 7;
    let size = byte & 0xf;
    for (let shift = 4; byte & 0x80 && shift < 32; shift += 7) {
      byte = next();
      size += (byte & 0x7f) * 2 ** shift;
    }
    if (size > MOST_BYTES) return undefined;
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
      if (this.#cachedBytes <= MOST_CACHED) break;
      this.#cached.delete(oldest);
      this.#cachedBytes -= bytes.length;
    }
    return object;
  }
}

function nameOf(type: number): GitObject['is'] {
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
