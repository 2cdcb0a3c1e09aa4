/**
 * Lists the names of many files in few bytes: paths that differ only in one place share a line, with a star for that place.
 * `src/lib/*.ts: open store` · `src/rules/*\/index.ts: no-tabs quotes` · `./: LICENSE Makefile`
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
  readonly names: string[];
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
    return belowDirectories([...lines.values()].map(({ head, names }) => [head, names.join(' ')]));
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
  named.forEach(({ pattern, name, isAlone }, i) => {
    if (isAlone) {
      lines.set(`${i}: ${pattern}`, { head: pattern, names: [] });
      return;
    }
    const isSingle = counts.get(pattern) === 1 && pattern.includes('*');
    const one = isSingle ? directoryAndName(pattern.replace('*', () => name)) : { pattern, name };
    const line = lines.get(one.pattern) ?? { head: one.pattern, names: [] };
    line.names.push(one.name);
    lines.set(one.pattern, line);
  });
  return lines;
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

/** A path as pattern and name. */
interface PatternedName {
  /** The path with a star in place of `name`; or its directory, with a slash at the end. */
  readonly pattern: string;
  readonly name: string;
  /** `pattern` is the whole path in quotes, and `name` is empty. */
  readonly isAlone?: true | undefined;
}

interface PatternOptions {
  /** Whether names that begin or end with the same words share a pattern too: `src/use*.ts` and `Camera`. */
  readonly words: boolean;
}

/** Minimum files of one name in sibling directories that share a pattern. */
const MIN_SIBLING_FILES = 3;

/** Each path by its most frequent pattern: directory and extension, or the same name in sibling directories. */
function namePatterns(paths: readonly string[], { words }: PatternOptions): PatternedName[] {
  const ways = paths.map((path) => (isAmbiguous(path) ? [] : [byEnding(path), byDirectory(path)]));
  const counts = new Map<string, number>();
  for (const both of ways)
    for (const way of both) if (way) counts.set(way.pattern, (counts.get(way.pattern) ?? 0) + 1);
  const countOf = (way: PatternedName | undefined): number => (way ? (counts.get(way.pattern) ?? 0) : 0);
  const chosen = ways.map(([own, other]) =>
    other && countOf(other) >= MIN_SIBLING_FILES && countOf(other) > countOf(own) ? other : own,
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

/** `src/a.ts` → `src/*.ts`, `a`. */
function byEnding(path: string): PatternedName | undefined {
  const { pattern, name } = directoryAndName(path);
  const dot = name.lastIndexOf('.');
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

/** Names with the same first or last words get a pattern of their own where that makes the lines shorter. */
function byWords(named: readonly PatternedName[]): PatternedName[] {
  const groups = new Map<string, PatternedName[]>();
  for (const one of named) {
    const known = groups.get(one.pattern);
    if (known) known.push(one);
    else groups.set(one.pattern, [one]);
  }
  const split = new Map<PatternedName, PatternedName>();
  for (const [pattern, group] of groups) {
    const star = pattern.indexOf('*');
    if (star === -1) continue;
    const [front, end] = [pattern.slice(0, star), pattern.slice(star + 1)];
    let left = group;
    for (let i = 0; i < MAX_WORD_PATTERNS && left.length > 1; i += 1) {
      const words = bestWords(left, Math.min(front.length, USUAL_DIRECTORY) + end.length + 3);
      if (!words) break;
      const [before, after] = words;
      const rest: PatternedName[] = [];
      for (const one of left) {
        const inner = within(one.name, before, after);
        if (inner === undefined) rest.push(one);
        else split.set(one, { pattern: `${front}${before}*${after}${end}`, name: inner });
      }
      left = rest;
    }
  }
  return named.map((one) => split.get(one) ?? one);
}

/** Maximum patterns of words for one directory and extension: for each, the words of all its names are counted. */
const MAX_WORD_PATTERNS = 6;

/** Minimum characters that a pattern of words saves. */
const MIN_SAVED_CHARACTERS = 4;

/** Approximate characters of a directory in a line: longer ones are mostly indented below a part of them. */
const USUAL_DIRECTORY = 20;

/** The first and last words whose omission saves most characters; undefined if none saves enough. `line`: what a new line costs. */
function bestWords(group: readonly PatternedName[], line: number): readonly [string, string] | undefined {
  const counts = new Map<string, number>();
  for (const { name } of group) {
    for (const [before, after] of wordsAround(name)) {
      const words = `${before}*${after}`;
      counts.set(words, (counts.get(words) ?? 0) + 1);
    }
  }
  let [best, most] = ['', MIN_SAVED_CHARACTERS];
  for (const [words, count] of counts) {
    if (count < 2) continue;
    // If all names have the words, their line replaces the other one.
    const saved = (count - 1) * (words.length - 1) - (count === group.length ? 0 : line);
    if (saved > most) [best, most] = [words, saved];
  }
  if (best === '') return undefined;
  const star = best.indexOf('*');
  return [best.slice(0, star), best.slice(star + 1)];
}

/** The name between two words; undefined if it has other words there, or nothing between them. */
function within(name: string, before: string, after: string): string | undefined {
  const isWithin =
    name.length > before.length + after.length && name.startsWith(before) && name.endsWith(after);
  return isWithin ? name.slice(before.length, name.length - after.length) : undefined;
}

/** Maximum words that are looked at from each end of a name. */
const MAX_EDGE_WORDS = 4;

/** `useCameraDevice` → `use` and nothing, `use` and `Device`, `useCamera` and nothing, nothing and `Device`, … */
function wordsAround(name: string): readonly (readonly [string, string])[] {
  const starts = [0, ...cutsOf(name, AFTER_WORD).slice(0, MAX_EDGE_WORDS)];
  const ends = [name.length, ...cutsOf(name, BEFORE_WORD).slice(-MAX_EDGE_WORDS)];
  const pairs: (readonly [string, string])[] = [];
  for (const from of starts)
    for (const to of ends)
      if (from < to && (from > 0 || to < name.length)) pairs.push([name.slice(0, from), name.slice(to)]);
  return pairs;
}

function cutsOf(name: string, where: RegExp): number[] {
  return Array.from(name.matchAll(where), ({ index }) => index);
}

/** Before a capital after a small letter or digit, and after or before `-`, `_`, `.` and `+`: these belong to what is shared. */
const AFTER_WORD = /(?<=[\p{Ll}\d])(?=\p{Lu})|(?<=[-_.+])/gu;
const BEFORE_WORD = /(?<=[\p{Ll}\d])(?=\p{Lu})|(?!^)(?=[-_.+])/gu;
