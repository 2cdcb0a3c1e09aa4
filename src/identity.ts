/**
 * Identities of bytes: of a file at the moment of opening, or of data derived from it with given options.
 * They are the cache keys.
 */

/** What an identity is made of. An absent (`undefined`) field is the same as no field. */
export type Fact = string | number | bigint | boolean | null | undefined | readonly Fact[] | Facts;

export interface Facts {
  readonly [name: string]: Fact;
}

/** One way to derive things; declared once, where it is done. */
export interface Derivation<O extends Facts = Facts> {
  /** Unique in the project. */
  readonly name: string;
  /** Counted up when the same input and options give another result: a new converter. 1 when absent. */
  readonly version?: number;
  /** Only its type is used: everything that shapes the result, limits included. */
  readonly options?: O;
}

/** What the system says about an open file: its content may only change when one of these does. */
export interface FileFacts {
  readonly dev: bigint;
  readonly ino: bigint;
  readonly size: bigint;
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
}

let unrepeatable = 0;

/** Immutable. Equal identities mean equal bytes; different texts have different ones. */
export class Identity {
  /**
   * Whether a later call can have an equal identity. What is derived from one that does not recur is not cached.
   */
  readonly recurs: boolean;
  readonly #write: () => string;
  /** Of a file alone: they are compared at a fraction of what it costs to write them. */
  readonly #file: FileFacts | undefined;
  #key: string | undefined;

  private constructor(write: () => string, recurs: boolean, file?: FileFacts) {
    this.#write = write;
    this.recurs = recurs;
    this.#file = file;
  }

  /** A file as it was when it was opened. `settled`: a later write to it would show in these facts. */
  static file(file: FileFacts, settled = true): Identity {
    const { dev, ino, size, mtimeNs, ctimeNs } = file;
    const facts = { dev, ino, size, mtimeNs, ctimeNs };
    return new Identity(() => writtenFile(facts), settled, facts);
  }

  /** Bytes from elsewhere, by facts that change when they do: `Identity.of('http', { url, etag })`. */
  static of(name: string, facts: Facts): Identity {
    return new Identity(() => written(['of', name, facts]), true);
  }

  /** Bytes that may change without a sign of it; equal to no other identity. */
  static once(name: string): Identity {
    const count = (unrepeatable += 1);
    return new Identity(() => written(['once', name, count]), false);
  }

  /** Of a file: what stays the same while it is written to. */
  get inode(): string | undefined {
    return this.#file && `${this.#file.dev} ${this.#file.ino}`;
  }

  /** What is derived from these bytes in the way `how`, shaped by `options`. */
  derive<O extends Facts>(how: Derivation<O>, options: O): Identity {
    const { name, version = 1 } = how;
    // Brackets around the front keep keys unambiguous at any depth.
    return new Identity(() => `[${this.key},${writtenAll([name, version, options])}]`, this.recurs);
  }

  /** The same text for equal identities, in any process: a cache key. */
  get key(): string {
    return (this.#key ??= this.#write());
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

/** The last keys of files, by inode: mostly the same file is read again, and five large numbers take long to write. */
const fileKeys = new Map<bigint, { readonly facts: FileFacts; readonly key: string }>();

const MOST_FILE_KEYS = 256;

function writtenFile(facts: FileFacts): string {
  const { dev, ino, size, mtimeNs, ctimeNs } = facts;
  const known = fileKeys.get(ino);
  if (known && isSameFile(known.facts, facts)) return known.key;
  const key = `["file",${dev}n,${ino}n,${size}n,${mtimeNs}n,${ctimeNs}n]`;
  if (fileKeys.size >= MOST_FILE_KEYS) fileKeys.clear();
  fileKeys.set(ino, { facts, key });
  return key;
}

/**
 * Like JSON, but different values are always written differently: fields are sorted, a bigint ends in `n`, and infinities
 * (null in JSON) are written by name.
 */
function written(fact: Fact): string {
  if (typeof fact === 'string') return JSON.stringify(fact);
  if (typeof fact === 'bigint') return `${fact}n`;
  if (isList(fact)) return `[${writtenAll(fact)}]`;
  if (typeof fact !== 'object' || fact === null) return String(fact);
  let fields = '';
  for (const name of Object.keys(fact).sort()) {
    if (fact[name] === undefined) continue;
    fields += `${fields === '' ? '' : ','}${JSON.stringify(name)}:${written(fact[name])}`;
  }
  return `{${fields}}`;
}

function writtenAll(facts: readonly Fact[]): string {
  let all = '';
  for (const [i, fact] of facts.entries()) all += i === 0 ? written(fact) : `,${written(fact)}`;
  return all;
}

function isList(fact: Fact): fact is readonly Fact[] {
  return Array.isArray(fact);
}
