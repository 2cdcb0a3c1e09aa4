/** Owns how an outline is shown: one line a symbol, indented by its depth, with the lines it spans. */

import type { OutlineSymbol } from './structure.ts';

/** `"[L10-42] export class Server"`, two spaces for each level; a terminator after every line. */
export function outlineText(symbols: readonly OutlineSymbol[]): string {
  const lines = symbols.map(lineOf);
  // Names that one statement declares look the same.
  return lines.filter((line, i) => line !== lines[i - 1]).join('');
}

/**
 * The outline in at most `bytes` bytes: the deepest symbols are left out first, and of the top level those that come
 * last. Says how many are not listed.
 */
export function outlineWithin(
  symbols: readonly OutlineSymbol[],
  bytes: number,
): { readonly text: string; readonly left: number } {
  const deepest = symbols.reduce((most, { depth }) => Math.max(most, depth), 0);
  for (let depth = deepest; depth >= 0; depth -= 1) {
    const listed = symbols.filter((symbol) => symbol.depth <= depth);
    const text = outlineText(listed);
    if (Buffer.byteLength(text) <= bytes) return { text, left: symbols.length - listed.length };
  }
  const listed: OutlineSymbol[] = [];
  let room = bytes;
  for (const symbol of symbols.filter(({ depth }) => depth === 0)) {
    room -= Buffer.byteLength(lineOf(symbol));
    if (room < 0) break;
    listed.push(symbol);
  }
  return { text: outlineText(listed), left: symbols.length - listed.length };
}

function lineOf({ from, to, depth, signature }: OutlineSymbol): string {
  const range = from === to ? `[L${from}]` : `[L${from}-${to}]`;
  return `${'  '.repeat(depth)}${range} ${signature}\n`;
}
