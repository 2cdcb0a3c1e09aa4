/** Owns finding the structure of a text: by a scanner of ours, or by a grammar that is loaded when first needed. */

import type { NoStructure } from '../types/notice.ts';
import { readCaptures } from './grammar/captures.ts';
import { massaged } from './grammar/massage.ts';
import type { GrammarFiles } from './grammar/parse.ts';
import type { Language } from './languages.ts';
import { linesOf } from './lines.ts';
import { nest } from './nesting.ts';
import type { Fold, Structure } from './structure.ts';
import { unfit } from './unfit.ts';

export interface OutlineOptions {
  /** Needed where the language has a grammar. */
  readonly grammar?: GrammarFiles | undefined;
  /** `performance.now()` after which a parser gives up. */
  readonly until: number;
}

/** The symbols of a text and what a summary may fold, or why there are none. */
export async function outline(
  text: string,
  language: Language,
  { grammar, until }: OutlineOptions,
): Promise<Structure | NoStructure> {
  const lines = linesOf(text);
  const reason = unfit(text, lines);
  if (reason !== undefined && !(reason === 'minified' && language.name === 'notebook')) return reason;
  if (language.scanner) {
    const scan = await language.scanner();
    return filled({ symbols: nest(scan(lines)), folds: [] });
  }
  if (!grammar) return 'language';
  const { matchesOf } = await import('./grammar/parse.ts');
  const matches = await matchesOf(massaged(text, grammar.name), grammar, until);
  if (!matches) return 'time';
  const { found, folds } = readCaptures(matches, text, lines);
  return filled({ symbols: nest(found), folds: joined(folds, lines) });
}

function filled(structure: Structure): Structure | NoStructure {
  return structure.symbols.length === 0 ? 'empty' : structure;
}

/** Sorts folds and joins the neighbours: runs of line comments, and of imports with blank lines between. */
function joined(folds: readonly Fold[], lines: readonly string[]): Fold[] {
  const result: Fold[] = [];
  const latest = new Map<Fold['kind'], number>();
  for (const fold of folds.toSorted((a, b) => a.from - b.from || b.to - a.to)) {
    const at = latest.get(fold.kind);
    const last = at === undefined ? undefined : result[at];
    if (at !== undefined && last && touches(last, fold, lines)) {
      result[at] = { ...last, to: Math.max(last.to, fold.to) };
    } else latest.set(fold.kind, result.push(fold) - 1);
  }
  return result;
}

function touches(above: Fold, below: Fold, lines: readonly string[]): boolean {
  if (above.kind === 'comment') return below.from <= above.to + 1;
  if (above.kind !== 'imports') return false;
  if (below.from - above.to > 20) return false;
  return lines.slice(above.to, below.from - 1).every((line) => line.trim() === '');
}
