/**
 * Resolves the name of a symbol: its qualified name, or a unique last part of that. Otherwise it returns the candidates or
 * similar names.
 */

import { span } from '../render/display.ts';
import { editDistance } from '../text/near.ts';
import { definitionsAmong, type OutlineSymbol } from './structure.ts';

type FoundSymbol =
  | { readonly one: OutlineSymbol }
  /** All symbols that match, in the order of the text; possibly none. */
  | { readonly candidates: readonly OutlineSymbol[] };

/** The result in bounded size, for other threads. */
export type FoundSymbols =
  | { readonly one: SymbolPlace }
  /** At least two matches: the first ones of `all`. */
  | { readonly candidates: readonly SymbolPlace[]; readonly all: number }
  /** No match: symbols with a similar name, the most similar first. */
  | { readonly near: readonly SymbolPlace[] };

export interface SymbolPlace {
  readonly from: number;
  readonly to: number;
  readonly qualified: string;
  /** The name that selects this symbol after `#`; absent if only its lines are unambiguous. */
  readonly name?: string | undefined;
}

/** Maximum candidates and similar names in a result. */
const MAX_CANDIDATES = 200;
const MAX_NEAR_SYMBOLS = 5;

/** A name that can be part of a list and precede another selector. */
const plain = /^[\w$.]{1,100}$/;

export function findNamedSymbols(
  symbols: readonly OutlineSymbol[],
  names: readonly string[],
): FoundSymbols[] {
  const counts = new Map<string, number>();
  for (const { qualified } of symbols) counts.set(qualified, (counts.get(qualified) ?? 0) + 1);
  const placeOf = ({ from, to, qualified }: OutlineSymbol): SymbolPlace => ({
    from,
    to,
    qualified,
    name: counts.get(qualified) === 1 && plain.test(qualified) ? qualified : undefined,
  });
  return names.map((name) => {
    const found = findSymbol(symbols, name);
    if ('one' in found) return { one: placeOf(found.one) };
    const { candidates } = found;
    if (candidates.length === 0) return { near: nearest(symbols, name).map(placeOf) };
    return { candidates: candidates.slice(0, MAX_CANDIDATES).map(placeOf), all: candidates.length };
  });
}

/**
 * Tries the exact qualified name, then names that end with it, then both ignoring case and punctuation
 * (`install-on-linux` for a heading). `::`, `#`, `->` and the `:` of Lua are equivalent to a dot, on both sides.
 */
export function findSymbol(symbols: readonly OutlineSymbol[], name: string): FoundSymbol {
  const dotted = withDots(name);
  const slug = slugOf(dotted);
  const steps: ((symbol: OutlineSymbol) => boolean)[] = [
    (symbol) => symbol.qualified === name || withDots(symbol.qualified) === dotted,
    (symbol) => symbol.name === name || withDots(symbol.qualified).endsWith(`.${dotted}`),
    (symbol) => slug !== '' && (slugOf(symbol.qualified) === slug || slugOf(symbol.name) === slug),
  ];
  for (const step of steps) {
    const fits = definitionsAmong(symbols.filter(step), ({ kind }) => kind);
    const one = fits.length === 1 ? fits[0] : onlyDefinition(fits, symbols);
    if (one) return { one };
    if (fits.length > 0) return { candidates: fits };
  }
  return { candidates: [] };
}

function withDots(name: string): string {
  return name.replace(/::|#|->|(?<=[\w$]):(?=[A-Za-z_$])/g, '.');
}

/**
 * Overloads and prototypes have no body. If exactly one symbol of that name has a body, it is the result, together with
 * the overloads directly before it.
 */
function onlyDefinition(
  fits: readonly OutlineSymbol[],
  symbols: readonly OutlineSymbol[],
): OutlineSymbol | undefined {
  const defined = fits.filter((symbol) => symbol.bodyFrom !== undefined);
  const sameName = fits.every((symbol) => symbol.qualified === fits[0]?.qualified);
  const [one] = defined;
  if (!sameName || !one || defined.length > 1) return undefined;
  let { from } = one;
  for (let i = symbols.indexOf(one) - 1; fits.includes(symbols[i] as OutlineSymbol); i -= 1) {
    from = (symbols[i] as OutlineSymbol).from;
  }
  return { ...one, from };
}

function slugOf(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^\p{L}\p{N}.]+/gu, '-')
    .replace(/^-+|-+$/g, '');
}

/** Maximum characters of a name that are compared. */
const compared = 60;

/** Symbols whose names contain the last part of `name`, are contained in it, or differ from it in a few letters. */
function nearest(symbols: readonly OutlineSymbol[], name: string): OutlineSymbol[] {
  const last = (name.split(/::|->|[.#]/).findLast((part) => part !== '') ?? name)
    .slice(0, compared)
    .toLowerCase();
  const known = new Map<string, number>();
  const dotted = withDots(name).slice(0, compared).toLowerCase();
  const scored: { symbol: OutlineSymbol; score: number; far: number }[] = [];
  const seen = new Set<string>();
  for (const symbol of symbols) {
    const own = symbol.name.slice(0, compared).toLowerCase();
    // A heading may be typed as the anchor of a link to it.
    const score = known.get(own) ?? Math.min(distance(last, own), distance(slugOf(last), slugOf(own)));
    known.set(own, score);
    if (score > maxDistance(last) || seen.has(symbol.qualified)) continue;
    seen.add(symbol.qualified);
    const whole = withDots(symbol.qualified).slice(0, compared).toLowerCase();
    scored.push({ symbol, score, far: distance(dotted, whole) });
  }
  return scored
    .toSorted((a, b) => a.score - b.score || a.far - b.far)
    .slice(0, MAX_NEAR_SYMBOLS)
    .map(({ symbol }) => symbol);
}

const maxDistance = (name: string): number => Math.max(1, Math.floor(name.length / 3));

/** The number of edits; if one name contains the other 0.5, with more than two other letters up to 1.5. */
function distance(a: string, b: string): number {
  const most = maxDistance(a);
  if (a.length >= 3 && b.length >= 3 && (a.includes(b) || b.includes(a)))
    return Math.abs(a.length - b.length) > 2 ? Math.min(1.5, most) : 0.5;
  return (
    (Math.abs(a.length - b.length) > most ? undefined : editDistance(a, b, most)) ?? Number.POSITIVE_INFINITY
  );
}

// Formats an outline: one line for each symbol, indented by its depth, with its line range.

export interface OutlineText {
  readonly text: string;
  /** Number of symbols, and how many of them are left out. */
  readonly symbols: number;
  readonly left: number;
  /** The first line of the first symbol that is left out. */
  readonly leftFrom?: number | undefined;
  /** A symbol for the example in the notice. */
  readonly example?: { readonly name: string; readonly from: number; readonly to: number } | undefined;
}

interface OutlineWanted {
  /** Maximum bytes; all symbols when absent. */
  readonly within?: number | undefined;
  /** The name of a symbol: only the outline of this symbol. */
  readonly of?: string | undefined;
}

/** Maximum bytes of a name in an example: a notice has at most 1 KiB. */
const MAX_EXAMPLE_BYTES = 200;

/** The outline of a text or of a symbol in it; the candidates if `of` does not name exactly one symbol. */
export function outlineOf(
  symbols: readonly OutlineSymbol[],
  { within, of }: OutlineWanted,
): OutlineText | FoundSymbols {
  if (of !== undefined) {
    const [found] = findNamedSymbols(symbols, [of]);
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
  const fits = ({ qualified }: OutlineSymbol): boolean => Buffer.byteLength(qualified) <= MAX_EXAMPLE_BYTES;
  const one = symbols.find((symbol) => symbol.to > symbol.from && fits(symbol)) ?? symbols.find(fits);
  return {
    text,
    symbols: symbols.length,
    left,
    leftFrom,
    example: one ? { name: one.qualified, from: one.from, to: one.to } : undefined,
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
