/**
 * Lists the names of many files in few bytes: paths that differ only in one place share a line, with a star for that place.
 * `src/lib/*.ts: open store` · `src/rules/*\/index.ts: no-tabs quotes` · `src/*.ts: use{Camera,Frame}` · `./: LICENSE Makefile`
 * Lines with a long common directory are indented below a line with that directory, and omit it. An ambiguous path is
 * quoted, on a line of its own: `'src/my file.ts'`
 */

import { oneLine } from '../../text/visible.ts';
import { isAmbiguous, pathWord } from './paths.ts';

/** Minimum characters of a directory below which lines are indented: omitting `src/` saves little. */
const MIN_BASE_CHARACTERS = 12;

/** A line without its base: `views/*.kt`, and the names. A quoted path has no names. */
interface Line {
  readonly head: string;
  readonly names: SharingName[];
}

export class NameLines {
  readonly #named: readonly PatternedName[];

  /** `paths`: of all files that may be listed, the important ones first. */
  constructor(paths: readonly string[], options: PatternOptions) {
    this.#named = namePatterns(paths.map(oneLine), options);
  }

  /** The number of files. */
  get size(): number {
    return this.#named.length;
  }

  /** The lines of the first `count` files, without those (0-based positions) that `isLeftOut` names. */
  lines(count: number, isLeftOut: (file: number) => boolean = () => false): string[] {
    const lines = linesOf(this.#named.slice(0, count).filter((_, file) => !isLeftOut(file)));
    return belowDirectories([...lines.values()].map(({ head, names }) => [head, inBraces(names).join(' ')]));
  }
}

/** `HEAD: TEXT` for each pair, or the quoted path alone. Those of one long directory stand below it. */
export function belowDirectories(lines: readonly (readonly [head: string, text: string])[]): string[] {
  const bases = basesOf(lines.flatMap(([head]) => (head.startsWith("'") ? [] : [head])));
  const texts = new Map<string, string[]>();
  for (const [head, text] of lines) {
    const base = bases.get(head) ?? '';
    // Lines of one base stand together. A head is never also a base: it would be a base of itself.
    const group = base === '' ? head : base;
    const known = texts.get(group) ?? (base === '' ? [] : [base]);
    if (!texts.has(group)) texts.set(group, known);
    known.push(text === '' ? head : `${headBelow(head, base)}: ${text}`);
  }
  return [...texts.values()].flat();
}

/** By head. A single name of a pattern is listed complete, in the line of its directory: that is shorter. */
function linesOf(named: readonly PatternedName[]): Map<string, Line> {
  const counts = new Map<string, number>();
  for (const { pattern } of named) counts.set(pattern, (counts.get(pattern) ?? 0) + 1);
  const lines = new Map<string, Line>();
  named.forEach(({ pattern, name, isAlone, words }, i) => {
    if (isAlone) {
      lines.set(`${i}: ${pattern}`, { head: pattern, names: [] });
      return;
    }
    const isSingle = counts.get(pattern) === 1 && pattern.includes('*');
    const one = isSingle ? directoryAndName(pattern.replace('*', () => name)) : { pattern, name, words };
    const line = lines.get(one.pattern) ?? { head: one.pattern, names: [] };
    line.names.push(one);
    lines.set(one.pattern, line);
  });
  return lines;
}

/** `useCamera`, `useFrame`, `index` → `use{Camera,Frame}`, `index`. */
function inBraces(names: readonly SharingName[]): string[] {
  if (!names.some(({ words }) => words?.[0] !== undefined)) return names.map(({ name }) => name);
  const groups = new Map<string, SharingName[]>();
  for (const one of names) {
    // A name has no star, so it equals no words of others.
    const key = one.words?.[0] ?? one.name;
    const known = groups.get(key);
    if (known) known.push(one);
    else groups.set(key, [one]);
  }
  return Array.from(groups, ([key, group]) => {
    if (group.length === 1) return group[0]?.name ?? '';
    const [before = '', after = ''] = key.split('*');
    const inner = inBraces(
      group.map(({ name, words }) => ({ name: within(name, key), words: words?.slice(1) })),
    );
    return inner.length === 1 ? before + inner[0] + after : `${before}{${inner.join(',')}}${after}`;
  });
}

/** What a name has in the place of the star of `words`. */
function within(name: string, words: string): string {
  const star = words.indexOf('*');
  return name.slice(star, name.length - (words.length - star - 1));
}

/** `src/deep/inside/*.ts` below `src/deep/` → `  inside/*.ts`; the directory itself is `  ./`. */
function headBelow(head: string, base: string): string {
  return base === '' ? head : `  ${head.slice(base.length) || './'}`;
}

/** For each head the directory whose omission saves most characters; none if only this head would be below it. */
function basesOf(heads: readonly string[]): Map<string, string> {
  const counts = new Map<string, number>();
  for (const head of heads)
    for (const above of longAbove(head)) counts.set(above, (counts.get(above) ?? 0) + 1);
  const bases = new Map<string, string>();
  const used = new Map<string, number>();
  for (const head of heads) {
    let [base, most] = ['', 0];
    for (const above of longAbove(head)) {
      const saved = ((counts.get(above) ?? 0) - 1) * above.length;
      if (saved > most) [base, most] = [above, saved];
    }
    if (base === '') continue;
    bases.set(head, base);
    used.set(base, (used.get(base) ?? 0) + 1);
  }
  for (const [head, base] of bases) if (used.get(base) === 1) bases.delete(head);
  return bases;
}

/** Maximum directories above a head that are candidates for its base. */
const MAX_DIRECTORIES_ABOVE = 8;

/** The first directories above a head that are long enough: `"src/a/very/long/*.ts"` → `"src/a/very/"`, `"src/a/very/long/"`. */
function longAbove(head: string): string[] {
  const above: string[] = [];
  const end = head.includes('*') ? head.indexOf('*') : head.length;
  let at = head.indexOf('/', MIN_BASE_CHARACTERS - 1);
  for (; at !== -1 && at < end && above.length < MAX_DIRECTORIES_ABOVE; at = head.indexOf('/', at + 1))
    above.push(head.slice(0, at + 1));
  return above;
}

// Splits paths into a pattern, which many of them share, and the name that differs:
// `src/lib/*.ts` and `open` · `src/rules/*\/index.ts` and `quotes` · `./` and `Makefile`

/** A name in a line. */
interface SharingName {
  readonly name: string;
  /** The words that it shares with others: of all of it (`use*`, `Hybrid*View`), of what is left then, and so on. */
  readonly words?: readonly string[] | undefined;
}

/** A path as pattern and name. */
interface PatternedName extends SharingName {
  /** The path with a star in place of `name`; or its directory, with a slash at the end. */
  readonly pattern: string;
  readonly name: string;
  /** `pattern` is the whole path in quotes, and `name` is empty. */
  readonly isAlone?: true | undefined;
}

interface PatternOptions {
  /** Whether names that begin or end with the same words share these: `use{Camera,Frame}`. */
  readonly words: boolean;
}

/** Minimum files of one name in sibling directories that share a pattern. */
const MIN_SIBLING_FILES = 3;

/** Each path by its most frequent pattern: directory and extension, or the same name in sibling directories. */
function namePatterns(paths: readonly string[], { words }: PatternOptions): PatternedName[] {
  const ways = paths.map((path) =>
    isAmbiguous(path) ? [] : [byEnding(path, ENDING), byDirectory(path), byEnding(path, LONG_ENDING)],
  );
  const counts = new Map<string, number>();
  for (const both of ways)
    for (const way of both) if (way) counts.set(way.pattern, (counts.get(way.pattern) ?? 0) + 1);
  const countOf = (way: PatternedName | undefined): number => (way ? (counts.get(way.pattern) ?? 0) : 0);
  const chosen = ways.map(([own, other, long]) =>
    other && countOf(other) >= MIN_SIBLING_FILES && countOf(other) > countOf(own)
      ? other
      : countOf(long) >= MIN_SIBLING_FILES
        ? long
        : own,
  );
  counts.clear();
  for (const way of chosen) if (way) counts.set(way.pattern, countOf(way) + 1);
  const named = chosen.map((way, i) =>
    way && countOf(way) > 1 ? way : directoryAndName(paths[i] as string),
  );
  return words ? byWords(named) : named;
}

/** `src/a.ts` → `src/`, `a.ts`; `my file.ts` → `'my file.ts'`, alone. */
function directoryAndName(path: string): PatternedName {
  if (isAmbiguous(path)) return { pattern: pathWord(path), name: '', isAlone: true };
  const slash = path.lastIndexOf('/') + 1;
  return { pattern: slash === 0 ? './' : path.slice(0, slash), name: path.slice(slash) };
}

const ENDING = /(?<=.)\.[^.]*$/;
const LONG_ENDING = /(?<=.)\.[^.]+\.[^.]+$/;

/** `src/a.ts` → `src/*.ts`, `a`; `src/a.d.ts` by its long ending → `src/*.d.ts`, `a`. */
function byEnding(path: string, ending: RegExp): PatternedName | undefined {
  const { pattern, name } = directoryAndName(path);
  const dot = name.search(ending);
  return dot > 0 ? { pattern: `${pattern}*${name.slice(dot)}`, name: name.slice(0, dot) } : undefined;
}

/** `src/a/index.ts` → `src/*\/index.ts`, `a`. */
function byDirectory(path: string): PatternedName | undefined {
  const slash = path.lastIndexOf('/');
  if (slash <= 0) return undefined;
  const start = path.lastIndexOf('/', slash - 1) + 1;
  const name = path.slice(start, slash);
  if (name === '' || slash === path.length - 1 || /\s/.test(name)) return undefined;
  return { pattern: `${start === 0 ? './' : path.slice(0, start)}*${path.slice(slash)}`, name };
}

/** Names of one pattern share their first or last words where that is shorter, those that save most first. */
function byWords(named: readonly PatternedName[]): PatternedName[] {
  const groups = new Map<string, PatternedName[]>();
  for (const one of named) {
    if (!one.pattern.includes('*')) continue;
    const known = groups.get(one.pattern);
    if (known) known.push(one);
    else groups.set(one.pattern, [one]);
  }
  const words = new Map<PatternedName, readonly string[]>();
  for (const group of groups.values()) {
    const all = sharedWords(
      group.map(({ name }) => name),
      MAX_BRACES,
    );
    for (const [i, one] of group.entries()) words.set(one, all[i] ?? []);
  }
  return named.map((one) => ({ ...one, words: words.get(one) }));
}

/** Maximum braces in one another. */
const MAX_BRACES = 2;

/** For each name the words that it shares, the outermost first. */
function sharedWords(names: readonly string[], levels: number): (readonly string[])[] {
  if (levels === 0 || names.length === 1) return names.map(() => []);
  const uses = new Map<string, number[]>();
  for (const [i, name] of names.entries()) {
    for (const words of wordsAround(name)) {
      const known = uses.get(words);
      if (known) known.push(i);
      else uses.set(words, [i]);
    }
  }
  const saved = (words: string, count: number): number => (count - 1) * (words.length - 1);
  const ways = [...uses].filter(([, users]) => users.length > 1);
  ways.sort((a, b) => saved(b[0], b[1].length) - saved(a[0], a[1].length));
  const chosen = names.map((): readonly string[] => []);
  for (const [words, users] of ways) {
    const left = users.filter((i) => chosen[i]?.length === 0);
    if (saved(words, left.length) < MIN_SAVED_CHARACTERS) continue;
    const inner = sharedWords(
      left.map((i) => within(names[i] ?? '', words)),
      levels - 1,
    );
    for (const [at, i] of left.entries()) chosen[i] = [words, ...(inner[at] ?? [])];
  }
  return chosen;
}

/** Minimum characters of shared words that are omitted: two are added. */
const MIN_SAVED_CHARACTERS = 4;

/** Maximum words that are looked at from each end of a name. */
const MAX_EDGE_WORDS = 3;

/** `useCameraDevice` → `use*`, `use*Device`, `useCamera*`, `useCameraDevice*`, … A name with a comma has none. */
function wordsAround(name: string): string[] {
  if (name.includes(',')) return [];
  const starts = [0, ...cutsOf(name, AFTER_WORD).slice(0, MAX_EDGE_WORDS), name.length];
  const ends = [0, ...cutsOf(name, BEFORE_WORD).slice(-MAX_EDGE_WORDS), name.length];
  return starts.flatMap((from) =>
    ends
      .filter((to) => from <= to && to - from < name.length)
      .map((to) => `${name.slice(0, from)}*${name.slice(to)}`),
  );
}

function cutsOf(name: string, where: RegExp): number[] {
  return Array.from(name.matchAll(where), ({ index }) => index);
}

/** Before a capital after a small letter or digit, and after or before `-`, `_`, `.` and `+`: these belong to what is shared. */
const AFTER_WORD = /(?<=[\p{Ll}\d])(?=\p{Lu})|(?<=[-_.+])/gu;
const BEFORE_WORD = /(?<=[\p{Ll}\d])(?=\p{Lu})|(?!^)(?=[-_.+])/gu;
