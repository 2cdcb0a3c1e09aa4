/** The symbols around lines of a file, taken from its cached tags instead of parsing it again. */

import type { EnclosingSymbol } from '../views/enclosing.ts';
import { KNOWN } from '../views/packed-tags.ts';
import { LONGEST_NAME, readSymbols } from '../views/file-tags.ts';
import type { TagStore } from './tag-store.ts';

export interface LinesAround {
  /** Real. */
  readonly path: string;
  /** Of the identity of its bytes. */
  readonly key: string;
  /** 1-based. */
  readonly lines: readonly number[];
}

/** By line; undefined if it is in no symbol of several lines. */
export type AroundLines = readonly (EnclosingSymbol | undefined)[];

/** Undefined if not all is known of these bytes. */
export function aroundLines(store: TagStore, { path, key, lines }: LinesAround): AroundLines | undefined {
  if (key === '' || store.keyOf(path) !== key || store.knownOf(path) !== KNOWN.all) return undefined;
  const tags = readSymbols(store.fileOf(path)?.tags() ?? '');
  // Tags have the beginning of a long name.
  if (tags.some(({ name }) => name.length >= LONGEST_NAME)) return undefined;
  return lines.map((line) => {
    // A symbol is before those inside it.
    const tag = tags.findLast(({ from, to }) => from <= line && line <= to && to > from);
    return tag && { name: tag.qualified, from: tag.from, to: tag.to };
  });
}
