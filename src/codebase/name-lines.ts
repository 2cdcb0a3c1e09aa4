/**
 * Names of many files in few bytes: those that differ in one place share a line, with a star in that place.
 * `src/lib/*.ts: open store` · `src/rules/*\/index.ts: no-tabs quotes` · `./: LICENSE Makefile`
 */

import { oneLine } from '../text/visible.ts';

interface Named {
  /** With a star where `name` belongs, or a directory. */
  readonly pattern: string;
  readonly name: string;
}

/** Files of one name in directories beside each other, from which on they share a line. */
const ALIKE = 3;

export class NameLines {
  /** Of all lines so far, with their newlines. */
  bytes = 0;
  readonly #named: readonly Named[];
  readonly #lines = new Map<string, number[]>();

  /** `paths`: of all files that may be added, by their positions. */
  constructor(paths: readonly string[]) {
    this.#named = namedAll(paths.map(oneLine));
  }

  /** How many lines there are. */
  get count(): number {
    return this.#lines.size;
  }

  /** Whether it would begin a line. */
  isNew(file: number): boolean {
    return !this.#lines.has(this.#of(file).pattern);
  }

  /** The bytes that it would add. */
  cost(file: number): number {
    const { pattern, name } = this.#of(file);
    return (this.isNew(file) ? Buffer.byteLength(pattern) + 2 : 0) + Buffer.byteLength(name) + 1;
  }

  add(file: number): void {
    this.bytes += this.cost(file);
    const { pattern } = this.#of(file);
    const known = this.#lines.get(pattern);
    if (known) known.push(file);
    else this.#lines.set(pattern, [file]);
  }

  /** What its name takes in its line, which has begun. */
  nameBytes(file: number): number {
    return Buffer.byteLength(this.#of(file).name) + 1;
  }

  /** Without `others`, which stand elsewhere. */
  without(others: ReadonlySet<number>): string[] {
    return [...this.#lines].flatMap(([pattern, files]) => {
      const names = files.filter((file) => !others.has(file)).map((file) => this.#of(file).name);
      return names.length === 0 ? [] : [`${pattern}: ${names.join(' ')}`];
    });
  }

  #of(file: number): Named {
    return this.#named[file] as Named;
  }
}

/** Each by the pattern that most files share: its directory and ending, or its name in other directories. */
function namedAll(paths: readonly string[]): Named[] {
  const ways = paths.map((path) => [byEnding(path), byDirectory(path)] as const);
  const counts = new Map<string, number>();
  for (const both of ways)
    for (const way of both) if (way) counts.set(way.pattern, (counts.get(way.pattern) ?? 0) + 1);
  const countOf = (way: Named | undefined): number => (way ? (counts.get(way.pattern) ?? 0) : 0);
  const chosen = ways.map(([own, other]) =>
    other && countOf(other) >= ALIKE && countOf(other) > countOf(own) ? other : own,
  );
  counts.clear();
  for (const way of chosen) if (way) counts.set(way.pattern, countOf(way) + 1);
  return chosen.map((way, i) => (way && countOf(way) > 1 ? way : plain(paths[i] as string)));
}

/** `src/a.ts` → `src/`, `a.ts`. */
function plain(path: string): Named {
  const slash = path.lastIndexOf('/') + 1;
  return { pattern: slash === 0 ? './' : path.slice(0, slash), name: path.slice(slash) };
}

/** `src/a.ts` → `src/*.ts`, `a`. */
function byEnding(path: string): Named | undefined {
  const { pattern, name } = plain(path);
  const dot = name.lastIndexOf('.');
  return dot > 0 ? { pattern: `${pattern}*${name.slice(dot)}`, name: name.slice(0, dot) } : undefined;
}

/** `src/a/index.ts` → `src/*\/index.ts`, `a`. */
function byDirectory(path: string): Named | undefined {
  const [, front = '', name, rest = ''] = /^(.*?)([^/]+)(\/[^/]+)$/.exec(path) ?? [];
  return name === undefined ? undefined : { pattern: `${front === '' ? './' : front}*${rest}`, name };
}
