/** Owns which symbol a name means: the qualified name, a unique last part of it, or the candidates. */

import type { OutlineSymbol } from './structure.ts';

export type FoundSymbol =
  | { readonly one: OutlineSymbol }
  /** All that the name could mean, in the order of the text; none where nothing fits. */
  | { readonly candidates: readonly OutlineSymbol[] };

/**
 * Tries the exact qualified name, then names that end in it, then both without regard to case and punctuation
 * (`install-on-linux` for a heading). `::`, `#` and `/` may stand for the dot.
 */
export function findSymbol(symbols: readonly OutlineSymbol[], name: string): FoundSymbol {
  const dotted = name.replace(/::|#|->/g, '.');
  const slug = slugOf(dotted);
  const steps: ((symbol: OutlineSymbol) => boolean)[] = [
    (symbol) => symbol.qualified === name || symbol.qualified === dotted,
    (symbol) => symbol.name === name || symbol.qualified.endsWith(`.${dotted}`),
    (symbol) => slug !== '' && (slugOf(symbol.qualified) === slug || slugOf(symbol.name) === slug),
  ];
  for (const step of steps) {
    const fits = symbols.filter(step);
    const one = fits.length === 1 ? fits[0] : onlyDefinition(fits);
    if (one) return { one };
    if (fits.length > 0) return { candidates: fits };
  }
  return { candidates: [] };
}

/** Overloads and prototypes have no body: the one that has is meant, when it is the only one of that name. */
function onlyDefinition(fits: readonly OutlineSymbol[]): OutlineSymbol | undefined {
  const defined = fits.filter((symbol) => symbol.bodyFrom !== undefined);
  const sameName = fits.every((symbol) => symbol.qualified === fits[0]?.qualified);
  return sameName && defined.length === 1 ? defined[0] : undefined;
}

function slugOf(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^\p{L}\p{N}.]+/gu, '-')
    .replace(/^-+|-+$/g, '');
}
