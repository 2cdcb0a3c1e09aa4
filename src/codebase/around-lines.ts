/** The symbols around lines of a file, taken from its cached tags instead of parsing it again. */

import type { EnclosingSymbol } from '../views/enclosing.ts';
import { KNOWN } from '../views/packed-tags.ts';
import { LONGEST_NAME, readSymbols } from '../views/file-tags.ts';
import type { TagStore } from './tag-store.ts';

export interface LinesAround {
  /** The real path of the file. */
  readonly path: string;
  /** The key of the identity of its bytes; empty if that does not recur. */
  readonly key: string;
  /** 1-based. */
  readonly lines: readonly number[];
}

/** For each of `lines` the innermost symbol of at least two lines that contains it; undefined if there is none. */
export type AroundLines = readonly (EnclosingSymbol | undefined)[];

/** Undefined unless the store has all symbols of exactly this version of the file. */
export function aroundLines(store: TagStore, { path, key, lines }: LinesAround): AroundLines | undefined {
  const stored = store.get(path);
  if (key === '' || stored?.key !== key || stored.known !== KNOWN.all) return undefined;
  const tags = readSymbols(stored.tags());
  // Long names are truncated in tags, so they could not be shown in full.
  if (tags.some(({ name }) => name.length >= LONGEST_NAME)) return undefined;
  return lines.map((line) => {
    // A symbol precedes those inside it, so the last match is the innermost.
    const tag = tags.findLast(({ from, to }) => from <= line && line <= to && to > from);
    return tag && { name: tag.qualified, from: tag.from, to: tag.to };
  });
}
