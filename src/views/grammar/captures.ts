/**
 * The capture names of the query files. A pattern captures a declaration by its kind (`@function`), in it `@name`,
 * `@body`, `@scope` (the text before the name) and `@head` (the only part that is shown); or a node around a declaration
 * (`@wrap`) or before it (`@attribute`) that belongs to it; or a part that a summary may fold (`@imports`, `@comment`,
 * `@doc`, `@block`). A `@parameter` is a property unless its class also declares a property of that name. `@tag` and
 * `@called` are only used in predicates.
 */

import { type Place, placer } from '../lines.ts';
import type { Found } from '../scanners/scanner.ts';
import type { Fold, SymbolKind } from '../structure.ts';
import { type Declaration, type Node, foundOf } from './declaration.ts';
import { foldOf, isFoldName } from './folds.ts';

/** One match of a query. Offsets are in UTF-16 units, 0-based and half-open. */
export interface Match {
  /** The index of the pattern in the query: if two patterns match the same name, the first one wins. */
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

/** Maximum characters between the end of a declaration and the end of its wrap. */
const longestTail = 200;

/** Assigns each wrap to the first declaration in it, if the wrap contains little else after that. */
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
