/** Formats an outline: one line for each symbol, indented by its depth, with its line range. */

import { findSymbols, type FoundSymbols } from './find-symbol.ts';
import type { OutlineSymbol } from './structure.ts';
import { span } from '../render/units.ts';

export interface OutlineText {
  readonly text: string;
  /** Number of symbols, and how many of them are left out. */
  readonly symbols: number;
  readonly left: number;
  /** The first line of the first symbol that is left out. */
  readonly leftFrom?: number;
  /** A symbol for the example in the notice. */
  readonly example?: { readonly name: string; readonly from: number; readonly to: number };
}

export interface OutlineWanted {
  /** Maximum bytes; all symbols when absent. */
  readonly within?: number | undefined;
  /** The name of a symbol: only the outline of this symbol. */
  readonly of?: string | undefined;
}

/** Maximum bytes of a name in an example: a notice has at most 1 KiB. */
const longestExample = 200;

/** The outline of a text or of a symbol in it; the candidates if `of` does not name exactly one symbol. */
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

/** Lines such as `"[L10-42] export class Server"`, indented by two spaces for each level, all with a terminator. */
export function outlineText(symbols: readonly OutlineSymbol[]): string {
  const lines = symbols.map(lineOf);
  // Several names that one statement declares give identical lines.
  return lines.filter((line, i) => line !== lines[i - 1]).join('');
}

/**
 * The outline in at most `bytes` bytes: whole levels from the top, and the first symbols of the level that does not fit.
 * `left`: the number of symbols that are not listed.
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
    // Symbols are in the order of the text.
    leftFrom: symbols.find((_, i) => !listed.has(i))?.from,
  };
}

function lineOf({ from, to, depth, signature }: OutlineSymbol): string {
  return `${'  '.repeat(depth)}[L${span(from, to)}] ${signature}\n`;
}
