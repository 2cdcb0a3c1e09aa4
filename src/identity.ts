/**
 * Identities of bytes: of a file at the time when it is opened, or of data derived from it with given options. Their keys
 * are the cache keys.
 */

/** A value in an identity. An `undefined` field equals an absent one. */
export type Fact = string | number | bigint | boolean | null | undefined | readonly Fact[] | Facts;

export interface Facts {
  readonly [name: string]: Fact;
}

/** A way to derive data from bytes; declared once, where it is implemented. */
export interface Derivation<O extends Facts = Facts> {
  /** Unique in the project. */
  readonly name: string;
  /** Incremented when the same input and options give another result, as with a new converter. 1 when absent. */
  readonly version?: number | undefined;
  /** Only its type is used: all options that affect the result, limits included. */
  readonly options?: O | undefined;
}

/**
 * The status of an open file (`fstat`). Its content changes only if one of these changes. Exceptions: see `settled`, and writes
 * through a memory mapping, which change the times only at the first write to a page (mmap(2)).
 */
export interface FileFacts {
  readonly dev: bigint;
  readonly ino: bigint;
  readonly size: bigint;
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
}

/**
 * The resolution of file times may be as coarse as this: of two writes within it, the second does not change the times.
 * Linux has finer times since 6.13, but not on every file system.
 */
const TICK_MS = 20;

/**
 * Whether a later write is certain to change the times. A time in the future comes from the clock of another
 * machine.
 */
export function isSettled({ ctimeNs }: FileFacts): boolean {
  const sinceChange = Date.now() - Number(ctimeNs / 1_000_000n);
  return sinceChange < 0 || sinceChange >= TICK_MS;
}

/** The number of identities from `Identity.once`. */
let onces = 0;

/** Immutable. Equal identities mean equal bytes. */
export class Identity {
  /** Whether a later call can have an equal identity. If not, derived data is not cached. */
  readonly recurs: boolean;
  readonly #serialize: () => string;
  /** Only for an identity of a file: comparing these is much cheaper than serializing them. */
  readonly #file: FileFacts | undefined;
  #key: string | undefined;

  private constructor(serialize: () => string, recurs: boolean, file?: FileFacts) {
    this.#serialize = serialize;
    this.recurs = recurs;
    this.#file = file;
  }

  /** A file at the time when it is opened. `settled`: whether any later write to it would change these facts. */
  static file(file: FileFacts, settled = true): Identity {
    const { dev, ino, size, mtimeNs, ctimeNs } = file;
    const facts = { dev, ino, size, mtimeNs, ctimeNs };
    return new Identity(() => `["file",${dev}n,${ino}n,${size}n,${mtimeNs}n,${ctimeNs}n]`, settled, facts);
  }

  /** Bytes of another source, by facts that change whenever the bytes change: `Identity.of('http', { url, etag })`. */
  static of(name: string, facts: Facts): Identity {
    return new Identity(() => serialized(['of', name, facts]), true);
  }

  /** Bytes whose changes cannot be detected. It equals no other identity, and does not recur. */
  static once(name: string): Identity {
    const count = (onces += 1);
    return new Identity(() => serialized(['once', name, count]), false);
  }

  /** Device and inode of a file: they stay the same when it is written to. Undefined for other bytes. */
  get inode(): string | undefined {
    return this.#file && `${this.#file.dev} ${this.#file.ino}`;
  }

  /** The identity of data that is derived from these bytes in the way `how` with `options`. */
  derive<O extends Facts>(how: Derivation<O>, options: O): Identity {
    const { name, version = 1 } = how;
    // The brackets keep keys unambiguous at any nesting depth.
    return new Identity(() => `[${this.key},${serializedList([name, version, options])}]`, this.recurs);
  }

  /** The cache key: the same text for equal identities, in any process. */
  get key(): string {
    return (this.#key ??= this.#serialize());
  }

  equals(other: Identity): boolean {
    const [one, two] = [this.#file, other.#file];
    if (one && two) return isSameFile(one, two);
    return this.key === other.key;
  }

  toString(): string {
    return this.key;
  }
}

function isSameFile(one: FileFacts, two: FileFacts): boolean {
  return (
    one.mtimeNs === two.mtimeNs &&
    one.ctimeNs === two.ctimeNs &&
    one.size === two.size &&
    one.ino === two.ino &&
    one.dev === two.dev
  );
}

/**
 * Like JSON, but injective: fields are sorted, a bigint ends in `n`, and infinities (null in JSON) are written by name.
 */
function serialized(fact: Fact): string {
  if (typeof fact === 'string') return JSON.stringify(fact);
  if (typeof fact === 'bigint') return `${fact}n`;
  if (isList(fact)) return `[${serializedList(fact)}]`;
  if (typeof fact !== 'object' || fact === null) return String(fact);
  let fields = '';
  for (const name of Object.keys(fact).sort()) {
    if (fact[name] === undefined) continue;
    fields += `${fields === '' ? '' : ','}${JSON.stringify(name)}:${serialized(fact[name])}`;
  }
  return `{${fields}}`;
}

/** The facts separated by commas. */
function serializedList(facts: readonly Fact[]): string {
  let all = '';
  for (const [i, fact] of facts.entries()) all += i === 0 ? serialized(fact) : `,${serialized(fact)}`;
  return all;
}

function isList(fact: Fact): fact is readonly Fact[] {
  return Array.isArray(fact);
}
