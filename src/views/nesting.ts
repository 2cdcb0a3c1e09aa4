/** Turns declarations into symbols: sorts and nests them, qualifies names, clips signatures. */

import type { Found } from './scanners/scanner.ts';
import type { OutlineSymbol } from './structure.ts';

/** Maximum characters of a signature or name; longer ones end with `…`. */
const longest = 200;

/** Maximum depth; deeper symbols get this depth. */
const deepest = 32;

/** Sorts by start, outer symbols before inner ones, and nests by ranges. */
export function nest(found: readonly Found[]): OutlineSymbol[] {
  const spans = found.map((one) => ({
    one,
    start: one.span?.[0] ?? one.from,
    end: one.span?.[1] ?? one.to + 1,
  }));
  spans.sort((a, b) => a.start - b.start || b.end - a.end);
  const open: { symbol: OutlineSymbol; start: number; end: number }[] = [];
  const parameters = new Set<OutlineSymbol>();
  const symbols = spans.flatMap(({ one, start, end }) => {
    for (let outer = open.at(-1); outer && !holds(outer, { start, end }); outer = open.at(-1)) open.pop();
    if (isAgain(open.at(-1)?.symbol, one)) return [];
    const scope = [open.at(-1)?.symbol.qualified, oneLine(one.scope ?? '')].filter(Boolean).join('.');
    const symbol = symbolOf(one, scope, open.length);
    open.push({ symbol, start, end });
    if (one.isParameter) parameters.add(symbol);
    return [symbol];
  });
  return parameters.size === 0 ? symbols : withoutDeclared(symbols, parameters);
}

/** Drops parameters that are also declared: `record City(string Name) { public string Name … }` has one property. */
function withoutDeclared(
  symbols: readonly OutlineSymbol[],
  parameters: ReadonlySet<OutlineSymbol>,
): OutlineSymbol[] {
  const declared = new Set(
    symbols
      .filter((one) => one.kind === 'property' && !parameters.has(one))
      .map(({ qualified }) => qualified),
  );
  return symbols.filter((one) => !parameters.has(one) || !declared.has(one.qualified));
}

/** Whether it is the same function again: `app.init = function init() {…}` is one function with two names. */
function isAgain(outer: OutlineSymbol | undefined, { kind, name, from, to }: Found): boolean {
  if (!outer || kind !== 'function' || (outer.kind !== 'function' && outer.kind !== 'method')) return false;
  return outer.name === name && outer.from === from && outer.to === to;
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/** Symbols with the same span are siblings. */
function holds(outer: Span, inner: Span): boolean {
  if (inner.start === outer.start && inner.end === outer.end) return false;
  return inner.start >= outer.start && inner.end <= outer.end;
}

function symbolOf(one: Found, scope: string, depth: number): OutlineSymbol {
  const { bodyFrom, bodyTo } = one;
  const name = clip(oneLine(one.name), longest);
  const body =
    bodyFrom !== undefined && bodyTo !== undefined && bodyFrom <= bodyTo ? { bodyFrom, bodyTo } : {};
  return {
    kind: one.kind,
    name,
    qualified: scope === '' ? name : clip(`${scope}.${name}`, 2 * longest),
    signature: clip(oneLine(one.signature), longest) || name,
    from: one.from,
    to: one.to,
    at: one.at ?? one.from,
    depth: Math.min(depth, deepest),
    ...body,
  };
}

function oneLine(text: string): string {
  return text
    .slice(0, 4 * longest)
    .replace(/([([{])\s*\n\s*/g, '$1')
    .replace(/,?\s*\n\s*([)\]])/g, '$1')
    .replace(/\s+/g, ' ')
    .trim();
}

function clip(text: string, most: number): string {
  if (text.length <= most) return text;
  const half = /[\uD800-\uDBFF]/.test(text[most - 2] ?? '');
  return `${text.slice(0, half ? most - 2 : most - 1)}…`;
}
