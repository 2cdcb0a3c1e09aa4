/**
 * The capture names of the query files. A pattern captures a declaration by its kind (`@function`), with `@name`,
 * `@body`, `@scope` (what is before the name) and `@head` (what alone is shown of it) in it; or what belongs to
 * the declaration it holds (`@wrap`) or that follows it (`@attribute`); or what a summary may fold (`@imports`,
 * `@comment`, `@doc`, `@block`). A `@parameter` is a property unless its class declares it again. `@tag` and `@called` only serve predicates.
 */

import { type Place, placer } from '../lines.ts';
import type { Found } from '../scanners/scanner.ts';
import type { Fold, SymbolKind } from '../structure.ts';
import { type Declaration, type Node, foundOf } from './declaration.ts';
import { foldOf, isFoldName } from './folds.ts';

/** One match of a query. Offsets count characters, half-open. */
export interface Match {
  /** The position of the pattern in the query: of two that match the same name, the first counts. */
  readonly pattern: number;
  readonly captures: readonly { readonly name: string; readonly start: number; readonly end: number }[];
}

const parts: ReadonlySet<string> = new Set(['name', 'scope', 'body', 'head', 'tag', 'called']);

export interface Captures {
  readonly found: Found[];
  readonly folds: Fold[];
}

export function readCaptures(matches: readonly Match[], text: string, lines: readonly string[]): Captures {
  const place = placer(text);
  const declarations = new Map<number, Declaration & { readonly pattern: number }>();
  const wraps: Node[] = [];
  const attributes: Node[] = [];
  const folds: Fold[] = [];
  for (const { pattern, captures } of matches) {
    const main = captures.find(({ name }) => !parts.has(name));
    if (!main) continue;
    if (main.name === 'wrap') wraps.push(placed(main, place));
    else if (main.name === 'attribute') attributes.push(placed(main, place));
    else if (isFoldName(main.name)) folds.push(...foldOf(main.name, placed(main, place), lines));
    else {
      const key = (captures.find(({ name }) => name === 'name') ?? main).start;
      if ((declarations.get(key)?.pattern ?? Number.POSITIVE_INFINITY) <= pattern) continue;
      const part = (name: string): Node | undefined => {
        const found = captures.find((one) => one.name === name);
        return found && placed(found, place);
      };
      const isParameter = main.name === 'parameter';
      const kind = isParameter ? 'property' : (main.name as SymbolKind);
      declarations.set(key, {
        pattern,
        kind,
        isParameter,
        node: placed(main, place),
        name: part('name'),
        body: part('body'),
        scope: part('scope'),
        head: part('head'),
      });
    }
  }
  const sorted = [...declarations.values()].toSorted((a, b) => a.node.start - b.node.start);
  wrapUp(sorted, wraps, text);
  return { found: sorted.map((one) => foundOf(one, text, lines, attributes)), folds };
}

function placed({ start, end }: { start: number; end: number }, place: (offset: number) => Place): Node {
  const { row: endRow, column: endColumn } = place(end);
  return { start, end, ...place(start), endRow, endColumn };
}

/** Characters that may be between the end of a declaration and the end of its wrap. */
const longestTail = 200;

/** Gives each wrap to the first declaration in it, where that is all that the wrap holds. */
function wrapUp(sorted: readonly Declaration[], wraps: readonly Node[], text: string): void {
  for (const wrap of wraps.toSorted((a, b) => b.start - a.start)) {
    const inner = sorted[firstFrom(sorted, wrap.start)];
    if (!inner || inner.node.end > wrap.end || inner.node.end < wrap.end - longestTail) continue;
    if (text.slice(inner.node.end, wrap.end).replace(';', '').trim() === '') inner.wrap = wrap;
  }
}

/** The index of the first declaration that begins at or after an offset. */
function firstFrom(sorted: readonly Declaration[], offset: number): number {
  let low = 0;
  for (let high = sorted.length; low < high;) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle]?.node.start ?? 0) < offset) low = middle + 1;
    else high = middle;
  }
  return low;
}
