/**
 * Resolves the name of a symbol: its qualified name, or a unique last part of that. Otherwise it returns the candidates or
 * similar names.
 */

import type { OutlineSymbol } from './structure.ts';

export type FoundSymbol =
  | { readonly one: OutlineSymbol }
  /** All symbols that match, in the order of the text; possibly none. */
  | { readonly candidates: readonly OutlineSymbol[] };

/** The result in bounded size, for other threads. */
export type FoundSymbols =
  | { readonly one: Place }
  /** At least two matches: the first ones of `all`. */
  | { readonly candidates: readonly Place[]; readonly all: number }
  /** No match: symbols with a similar name, the most similar first. */
  | { readonly near: readonly Place[] };

export interface Place {
  readonly from: number;
  readonly to: number;
  readonly qualified: string;
  /** The name that selects this symbol after `#`; absent if only its lines are unambiguous. */
  readonly name?: string;
}

/** Maximum candidates and similar names in a result. */
const mostCandidates = 200;
const mostNear = 5;

/** A name that can be part of a list and precede another selector. */
const plain = /^[\w$.]{1,100}$/;

export function findSymbols(symbols: readonly OutlineSymbol[], names: readonly string[]): FoundSymbols[] {
  const counts = new Map<string, number>();
  for (const { qualified } of symbols) counts.set(qualified, (counts.get(qualified) ?? 0) + 1);
  const placeOf = ({ from, to, qualified }: OutlineSymbol): Place => ({
    from,
    to,
    qualified,
    ...(counts.get(qualified) === 1 && plain.test(qualified) && { name: qualified }),
  });
  return names.map((name) => {
    const found = findSymbol(symbols, name);
    if ('one' in found) return { one: placeOf(found.one) };
    const { candidates } = found;
    if (candidates.length === 0) return { near: nearest(symbols, name).map(placeOf) };
    return { candidates: candidates.slice(0, mostCandidates).map(placeOf), all: candidates.length };
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
    const fits = symbols.filter(step);
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
    if (score > most(last) || seen.has(symbol.qualified)) continue;
    seen.add(symbol.qualified);
    const whole = withDots(symbol.qualified).slice(0, compared).toLowerCase();
    scored.push({ symbol, score, far: distance(dotted, whole) });
  }
  return scored
    .toSorted((a, b) => a.score - b.score || a.far - b.far)
    .slice(0, mostNear)
    .map(({ symbol }) => symbol);
}

const most = (name: string): number => Math.max(1, Math.floor(name.length / 3));

/** The number of letters to insert, remove or replace; 0.5 if one name contains the other. */
function distance(a: string, b: string): number {
  if (a.length >= 3 && b.length >= 3 && (a.includes(b) || b.includes(a))) return 0.5;
  if (Math.abs(a.length - b.length) > most(a)) return Number.POSITIVE_INFINITY;
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const same = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(same, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
