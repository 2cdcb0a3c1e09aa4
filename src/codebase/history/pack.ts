/**
 * A pack of git objects, read object by object in small windows: nothing grows with the pack.
 *
 * Not isomorphic-git: by its issues (it was not measured here) it reads each pack whole and hashes all of it before the
 * first object, which takes memory as large as the pack, and fails for packs over 2 GiB.
 */

import { inflateSync } from 'node:zlib';
import { applyDelta } from './delta.ts';
import { ID, type PackIndex, type Windowed } from './pack-index.ts';

export interface GitObject {
  readonly is: 'commit' | 'tree' | 'other';
  readonly bytes: Buffer;
}

/** Bytes of an object that is read: a commit or a directory is no larger. */
export const MOST_BYTES = 8 << 20;

/** Deltas on the way to a base. git makes 50, and at most 4,095. */
const MOST_DELTAS = 4_096;

/** Bytes of objects that are kept for the next ones, which are often made from them. */
const KEPT_BYTES = 24 << 20;

/** Bytes that are read at first: the head of an entry, and all of a small one. */
const WINDOW = 1024;

const COMMIT = 1;
const TREE = 2;
const OFFSET_DELTA = 6;
const ID_DELTA = 7;

interface Entry {
  readonly type: number;
  /** Inflated. */
  readonly bytes: Buffer;
  /** Where the object is that a delta is for. */
  readonly base: number | undefined;
}

export class Pack {
  readonly #file: Windowed;
  readonly #index: PackIndex;
  readonly #kept = new Map<number, GitObject>();
  #keptBytes = 0;

  constructor(file: Windowed, index: PackIndex) {
    this.#file = file;
    this.#index = index;
  }

  /** Undefined if it has no such object, or one that is damaged or too large. */
  read(id: Buffer): GitObject | undefined {
    const offset = this.#index.offsetOf(id);
    return offset === undefined ? undefined : this.#at(offset);
  }

  #at(offset: number): GitObject | undefined {
    const deltas: { readonly at: number; readonly bytes: Buffer }[] = [];
    let at = offset;
    let held = 0;
    for (let known = this.#kept.get(at); ; known = this.#kept.get(at)) {
      if (known) return this.#built(known, deltas);
      const entry = this.#entry(at);
      if (!entry) return undefined;
      if (entry.type !== OFFSET_DELTA && entry.type !== ID_DELTA)
        return this.#built(this.#keep(at, { is: nameOf(entry.type), bytes: entry.bytes }), deltas);
      held += entry.bytes.length;
      if (entry.base === undefined || deltas.length === MOST_DELTAS || held > 2 * MOST_BYTES)
        return undefined;
      deltas.push({ at, bytes: entry.bytes });
      at = entry.base;
    }
  }

  #built(
    base: GitObject,
    deltas: readonly { readonly at: number; readonly bytes: Buffer }[],
  ): GitObject | undefined {
    let object = base;
    for (const { at, bytes } of deltas.toReversed()) {
      const made = applyDelta(object.bytes, bytes, MOST_BYTES);
      if (!made) return undefined;
      object = this.#keep(at, { is: base.is, bytes: made });
    }
    return object;
  }

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
    // Deflated bytes are hardly more than they are inflated.
    const most = size + (size >> 8) + 64;
    const packed = head.length >= most ? head : this.#file.read(from, most);
    return inflated(packed, size);
  }

  #keep(at: number, object: GitObject): GitObject {
    this.#kept.set(at, object);
    this.#keptBytes += object.bytes.length;
    for (const [oldest, { bytes }] of this.#kept) {
      if (this.#keptBytes <= KEPT_BYTES) break;
      this.#kept.delete(oldest);
      this.#keptBytes -= bytes.length;
    }
    return object;
  }
}

function nameOf(type: number): GitObject['is'] {
  return type === COMMIT ? 'commit' : type === TREE ? 'tree' : 'other';
}

/** Undefined for what is not deflated, or has another size. What follows it is not looked at. */
function inflated(packed: Buffer, size: number): Buffer | undefined {
  try {
    const bytes = inflateSync(packed, { maxOutputLength: Math.max(1, size) });
    return bytes.length === size ? bytes : undefined;
  } catch {
    return undefined;
  }
}
