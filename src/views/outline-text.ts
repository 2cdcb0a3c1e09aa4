/** How an outline is shown: one line a symbol, indented by its depth, with the lines it spans. */

import { findSymbols, type FoundSymbols } from './find-symbol.ts';
import type { OutlineSymbol } from './structure.ts';
import { span } from '../render/units.ts';

export interface OutlineText {
  readonly text: string;
  /** How many symbols there are, and how many of them the text leaves out. */
  readonly symbols: number;
  readonly left: number;
  /** The first line of those. */
  readonly leftFrom?: number;
  /** A symbol to name in a call. */
  readonly example?: { readonly name: string; readonly from: number; readonly to: number };
}

export interface OutlineWanted {
  /** The most bytes it may have; all symbols when absent. */
  readonly within?: number | undefined;
  /** The symbol whose own outline is wanted. */
  readonly of?: string | undefined;
}

/** Bytes of a name in an example: a notice has 1 KiB at most. */
const longestExample = 200;

/** The outline of a text or of a symbol in it; what else `of` could mean, where that is not one symbol. */
export function outlineOf(
  symbols: readonly OutlineSymbol[],
  { within, of }: OutlineWanted,
): OutlineText | FoundSymbols {
  if (of !== undefined) {
    const [found] = findSymbols(symbols, [of]);
    if (found && !('one' in found)) return found;
    const { from, to } = found?.one ?? { from: 0, to: 0 };
    return outlineOf(
      symbols.filter((symbol) => symbol.from >= from && symbol.to <= to),
      { within },
    );
  }
  const { text, left, leftFrom } =
    within === undefined
      ? { text: outlineText(symbols), left: 0, leftFrom: undefined }
      : outlineWithin(symbols, within);
  const fits = ({ qualified }: OutlineSymbol): boolean => Buffer.byteLength(qualified) <= longestExample;
  const one = symbols.find((symbol) => symbol.to > symbol.from && fits(symbol)) ?? symbols.find(fits);
  return {
    text,
    symbols: symbols.length,
    left,
    ...(leftFrom !== undefined && { leftFrom }),
    ...(one && { example: { name: one.qualified, from: one.from, to: one.to } }),
  };
}

/** `"[L10-42] export class Server"`, two spaces for each level; a terminator after every line. */
export function outlineText(symbols: readonly OutlineSymbol[]): string {
  const lines = symbols.map(lineOf);
  // Names that one statement declares look the same.
  return lines.filter((line, i) => line !== lines[i - 1]).join('');
}

/**
 * The outline in at most `bytes` bytes: level by level from the top, and of the first level that does not fit whole the
 * symbols that come first. Says how many are not listed.
 */
function outlineWithin(
  symbols: readonly OutlineSymbol[],
  bytes: number,
): { readonly text: string; readonly left: number; readonly leftFrom: number | undefined } {
  const lines = symbols.map(lineOf);
  const byDepth = symbols
    .map((_, i) => i)
    .toSorted((a, b) => (symbols[a]?.depth ?? 0) - (symbols[b]?.depth ?? 0) || a - b);
  const listed = new Set<number>();
  let room = bytes;
  for (const i of byDepth) {
    room -= Buffer.byteLength(lines[i] ?? '');
    if (room < 0) break;
    listed.add(i);
  }
  return {
    text: outlineText(symbols.filter((_, i) => listed.has(i))),
    left: symbols.length - listed.size,
    // In the order of the text.
    leftFrom: symbols.find((_, i) => !listed.has(i))?.from,
  };
}

function lineOf({ from, to, depth, signature }: OutlineSymbol): string {
  return `${'  '.repeat(depth)}[L${span(from, to)}] ${signature}\n`;
}
