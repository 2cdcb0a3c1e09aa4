/**
 * Lists the names of many files in few bytes: paths that differ only in one place share a line, with a star for that place.
 * `src/lib/*.ts: open store` · `src/rules/*\/index.ts: no-tabs quotes` · `./: LICENSE Makefile`
 * Lines with a long common directory are indented below a line with that directory, and omit it. An ambiguous path is
 * quoted, on a line of its own: `'src/my file.ts'`
 */

import { oneLine } from '../text/visible.ts';
import { isAmbiguous, pathWord } from './path-word.ts';

/** A path as pattern and name. */
interface Named {
  /** The path with a star in place of `name`; or its directory, with a slash at the end. */
  readonly pattern: string;
  readonly name: string;
  /** `pattern` is the whole path in quotes, and `name` is empty. */
  readonly isAlone?: true;
}

/** The line of a pattern. */
interface Line {
  /** The directory below which it is indented; empty if there is none. */
  readonly base: string;
  /** The pattern as shown, without `base`. */
  readonly head: string;
  readonly files: number[];
}

/** Minimum files of one name in sibling directories that share a line. */
const LEAST_SIBLINGS = 3;

/** Minimum characters of a directory below which lines are indented: omitting `src/` saves little. */
const LEAST_BASE = 12;

export class NameLines {
  /** The size of all lines, with their newlines. */
  bytes = 0;
  /** The number of lines. */
  count = 0;
  readonly #named: readonly Named[];
  /** The base of each pattern; none if its lines are not indented. */
  readonly #bases: ReadonlyMap<string, string>;
  readonly #lines = new Map<string, Line>();
  /** Bases that already have a line. */
  readonly #begun = new Set<string>(['']);

  /** `paths`: of all files that may be added. A file is identified by its 0-based position in them. */
  constructor(paths: readonly string[]) {
    this.#named = namedAll(paths.map(oneLine));
    this.#bases = basesOf(new Set(this.#named.flatMap(({ pattern, isAlone }) => (isAlone ? [] : [pattern]))));
  }

  /** The number of lines that the file would add. */
  rows(file: number): number {
    const { pattern, isAlone } = this.#of(file);
    if (isAlone) return 1;
    if (this.#lines.has(pattern)) return 0;
    return this.#begun.has(this.#baseOf(pattern)) ? 1 : 2;
  }

  /** The bytes that the file would add. */
  cost(file: number): number {
    const { pattern, name, isAlone } = this.#of(file);
    if (isAlone) return Buffer.byteLength(pattern) + 1;
    const own = Buffer.byteLength(name) + 1;
    if (this.#lines.has(pattern)) return own;
    const base = this.#baseOf(pattern);
    const begun = this.#begun.has(base) ? 0 : Buffer.byteLength(base) + 1;
    return begun + Buffer.byteLength(headOf(pattern, base)) + 2 + own;
  }

  add(file: number): void {
    this.bytes += this.cost(file);
    this.count += this.rows(file);
    const { pattern, isAlone } = this.#of(file);
    if (isAlone) {
      this.#lines.set(`${file}: ${pattern}`, { base: '', head: pattern, files: [file] });
      return;
    }
    const base = this.#baseOf(pattern);
    const line = this.#lines.get(pattern) ?? { base, head: headOf(pattern, base), files: [] };
    line.files.push(file);
    this.#lines.set(pattern, line);
    this.#begun.add(base);
  }

  /** The bytes of the file's name in an existing line. */
  nameBytes(file: number): number {
    const { pattern, name, isAlone } = this.#of(file);
    return Buffer.byteLength(isAlone ? pattern : name) + 1;
  }

  /** The lines, without the files in `others`. */
  without(others: ReadonlySet<number>): string[] {
    const below = new Map<string, string[]>();
    for (const { base, head, files } of this.#lines.values()) {
      const names = files.filter((file) => !others.has(file)).map((file) => this.#of(file).name);
      if (names.length === 0) continue;
      // A line without base is placed by its own head.
      const key = base === '' ? head : base;
      const known = below.get(key) ?? (base === '' ? [] : [base]);
      const listed = names.join(' ');
      below.set(key, [...known, listed === '' ? head : `${head}: ${listed}`]);
    }
    return [...below.values()].flat();
  }

  #of(file: number): Named {
    return this.#named[file] as Named;
  }

  #baseOf(pattern: string): string {
    return this.#bases.get(pattern) ?? '';
  }
}

/** `src/deep/inside/*.ts` below `src/deep/` → `  inside/*.ts`; the directory itself is `  ./`. */
function headOf(pattern: string, base: string): string {
  return base === '' ? pattern : `  ${pattern.slice(base.length) || './'}`;
}

/** For each pattern the directory whose omission saves most characters; none if only this pattern would be below it. */
function basesOf(patterns: ReadonlySet<string>): Map<string, string> {
  const counts = new Map<string, number>();
  for (const pattern of patterns)
    for (const above of longAbove(pattern)) counts.set(above, (counts.get(above) ?? 0) + 1);
  const bases = new Map<string, string>();
  const used = new Map<string, number>();
  for (const pattern of patterns) {
    let [base, most] = ['', 0];
    for (const above of longAbove(pattern)) {
      const saved = ((counts.get(above) ?? 0) - 1) * above.length;
      if (saved > most) [base, most] = [above, saved];
    }
    if (base === '') continue;
    bases.set(pattern, base);
    used.set(base, (used.get(base) ?? 0) + 1);
  }
  for (const [pattern, base] of bases) if (used.get(base) === 1) bases.delete(pattern);
  return bases;
}

/** The directories above a pattern that are long enough: `"src/a/very/long/*.ts"` → `"src/a/very/"`, `"src/a/very/long/"`. */
function longAbove(pattern: string): string[] {
  const above: string[] = [];
  const end = pattern.includes('*') ? pattern.indexOf('*') : pattern.length;
  for (
    let at = pattern.indexOf('/', LEAST_BASE - 1);
    at !== -1 && at < end;
    at = pattern.indexOf('/', at + 1)
  )
    above.push(pattern.slice(0, at + 1));
  return above;
}

/** Splits each path by its most frequent pattern: directory and extension, or the same name in sibling directories. */
function namedAll(paths: readonly string[]): Named[] {
  const ways = paths.map((path) => (isAmbiguous(path) ? [] : [byEnding(path), byDirectory(path)]));
  const counts = new Map<string, number>();
  for (const both of ways)
    for (const way of both) if (way) counts.set(way.pattern, (counts.get(way.pattern) ?? 0) + 1);
  const countOf = (way: Named | undefined): number => (way ? (counts.get(way.pattern) ?? 0) : 0);
  const chosen = ways.map(([own, other]) =>
    other && countOf(other) >= LEAST_SIBLINGS && countOf(other) > countOf(own) ? other : own,
  );
  counts.clear();
  for (const way of chosen) if (way) counts.set(way.pattern, countOf(way) + 1);
  return chosen.map((way, i) => (way && countOf(way) > 1 ? way : plain(paths[i] as string)));
}

/** `src/a.ts` → `src/`, `a.ts`; `my file.ts` → `'my file.ts'`, alone. */
function plain(path: string): Named {
  if (isAmbiguous(path)) return { pattern: pathWord(path), name: '', isAlone: true };
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
  return name === undefined || /\s/.test(name)
    ? undefined
    : { pattern: `${front === '' ? './' : front}*${rest}`, name };
}
