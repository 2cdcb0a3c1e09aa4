/**
 * Splits paths into a pattern, which many of them share, and the name that differs:
 * `src/lib/*.ts` and `open` · `src/rules/*\/index.ts` and `quotes` · `./` and `Makefile`
 */

import { isAmbiguous, pathWord } from './path-word.ts';

/** A path as pattern and name. */
export interface Named {
  /** The path with a star in place of `name`; or its directory, with a slash at the end. */
  readonly pattern: string;
  readonly name: string;
  /** `pattern` is the whole path in quotes, and `name` is empty. */
  readonly isAlone?: true;
}

export interface PatternOptions {
  /** Whether names that begin or end with the same words share a pattern too: `src/use*.ts` and `Camera`. */
  readonly words: boolean;
}

/** Minimum files of one name in sibling directories that share a pattern. */
const LEAST_SIBLINGS = 3;

/** Each path by its most frequent pattern: directory and extension, or the same name in sibling directories. */
export function namePatterns(paths: readonly string[], { words }: PatternOptions): Named[] {
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
  const named = chosen.map((way, i) =>
    way && countOf(way) > 1 ? way : directoryAndName(paths[i] as string),
  );
  return words ? byWords(named) : named;
}

/** `src/a.ts` → `src/`, `a.ts`; `my file.ts` → `'my file.ts'`, alone. */
export function directoryAndName(path: string): Named {
  if (isAmbiguous(path)) return { pattern: pathWord(path), name: '', isAlone: true };
  const slash = path.lastIndexOf('/') + 1;
  return { pattern: slash === 0 ? './' : path.slice(0, slash), name: path.slice(slash) };
}

/** `src/a.ts` → `src/*.ts`, `a`. */
function byEnding(path: string): Named | undefined {
  const { pattern, name } = directoryAndName(path);
  const dot = name.lastIndexOf('.');
  return dot > 0 ? { pattern: `${pattern}*${name.slice(dot)}`, name: name.slice(0, dot) } : undefined;
}

/** `src/a/index.ts` → `src/*\/index.ts`, `a`. */
function byDirectory(path: string): Named | undefined {
  const slash = path.lastIndexOf('/');
  if (slash <= 0) return undefined;
  const start = path.lastIndexOf('/', slash - 1) + 1;
  const name = path.slice(start, slash);
  if (name === '' || slash === path.length - 1 || /\s/.test(name)) return undefined;
  return { pattern: `${start === 0 ? './' : path.slice(0, start)}*${path.slice(slash)}`, name };
}

/** Names with the same first or last words get a pattern of their own where that makes the lines shorter. */
function byWords(named: readonly Named[]): Named[] {
  const groups = new Map<string, Named[]>();
  for (const one of named) {
    const known = groups.get(one.pattern);
    if (known) known.push(one);
    else groups.set(one.pattern, [one]);
  }
  const split = new Map<Named, Named>();
  for (const [pattern, group] of groups) {
    const star = pattern.indexOf('*');
    if (star === -1) continue;
    const [front, end] = [pattern.slice(0, star), pattern.slice(star + 1)];
    let left = group;
    for (let i = 0; i < MOST_SPLITS && left.length > 1; i += 1) {
      const words = bestWords(left, Math.min(front.length, USUAL_DIRECTORY) + end.length + 3);
      if (!words) break;
      const [before, after] = words;
      const rest: Named[] = [];
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
const MOST_SPLITS = 6;

/** Minimum characters that a pattern of words saves. */
const LEAST_SAVED = 4;

/** Approximate characters of a directory in a line: longer ones are mostly indented below a part of them. */
const USUAL_DIRECTORY = 20;

/** The first and last words whose omission saves most characters; undefined if none saves enough. `line`: what a new line costs. */
function bestWords(group: readonly Named[], line: number): readonly [string, string] | undefined {
  const counts = new Map<string, number>();
  for (const { name } of group) {
    for (const [before, after] of wordsAround(name)) {
      const words = `${before}*${after}`;
      counts.set(words, (counts.get(words) ?? 0) + 1);
    }
  }
  let [best, most] = ['', LEAST_SAVED];
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
const MOST_WORDS = 4;

/** `useCameraDevice` → `use` and nothing, `use` and `Device`, `useCamera` and nothing, nothing and `Device`, … */
function wordsAround(name: string): readonly (readonly [string, string])[] {
  const starts = [0, ...cutsOf(name, AFTER_WORD).slice(0, MOST_WORDS)];
  const ends = [name.length, ...cutsOf(name, BEFORE_WORD).slice(-MOST_WORDS)];
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
