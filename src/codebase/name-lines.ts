/**
 * Lists the names of many files in few bytes: paths that differ only in one place share a line, with a star for that place.
 * `src/lib/*.ts: open store` · `src/rules/*\/index.ts: no-tabs quotes` · `./: LICENSE Makefile`
 * Lines with a long common directory are indented below a line with that directory, and omit it. An ambiguous path is
 * quoted, on a line of its own: `'src/my file.ts'`
 */

import { oneLine } from '../text/visible.ts';
import { directoryAndName, type Named, namePatterns, type PatternOptions } from './name-patterns.ts';

/** Minimum characters of a directory below which lines are indented: omitting `src/` saves little. */
const LEAST_BASE = 12;

/** A line without its base: `views/*.kt`, and the names. A quoted path has no names. */
interface Line {
  readonly head: string;
  readonly names: string[];
}

export class NameLines {
  readonly #named: readonly Named[];

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
    const heads = [...lines.values()].flatMap(({ head, names }) => (names.length > 0 ? [head] : []));
    const bases = basesOf(heads);
    const texts = new Map<string, string[]>();
    for (const { head, names } of lines.values()) {
      const base = bases.get(head) ?? '';
      // Lines of one base stand together. A head is never also a base: it would be a base of itself.
      const group = base === '' ? head : base;
      const known = texts.get(group) ?? (base === '' ? [] : [base]);
      if (!texts.has(group)) texts.set(group, known);
      known.push(names.length === 0 ? head : `${headBelow(head, base)}: ${names.join(' ')}`);
    }
    return [...texts.values()].flat();
  }
}

/** By head. A single name of a pattern is listed complete, in the line of its directory: that is shorter. */
function linesOf(named: readonly Named[]): Map<string, Line> {
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
const MOST_ABOVE = 8;

/** The first directories above a head that are long enough: `"src/a/very/long/*.ts"` → `"src/a/very/"`, `"src/a/very/long/"`. */
function longAbove(head: string): string[] {
  const above: string[] = [];
  const end = head.includes('*') ? head.indexOf('*') : head.length;
  let at = head.indexOf('/', LEAST_BASE - 1);
  for (; at !== -1 && at < end && above.length < MOST_ABOVE; at = head.indexOf('/', at + 1))
    above.push(head.slice(0, at + 1));
  return above;
}
