/** Finds the structure of a text with a scanner or with a grammar, which are loaded on first use. */

import type { NoStructure } from '../types/notice.ts';
import { readCaptures } from './grammar/captures.ts';
import { massaged } from './grammar/massage.ts';
import type { GrammarFiles } from './grammar/parse.ts';
import { NO_USES, type Uses } from './grammar/uses.ts';
import type { Language } from './languages.ts';
import { linesOf } from './lines.ts';
import { nest } from './nesting.ts';
import type { Fold, Structure } from './structure.ts';
import { unfit } from './unfit.ts';

export interface OutlineOptions {
  /** Required if the language has a grammar. */
  readonly grammar?: GrammarFiles | undefined;
  /** Whether the parser should give up. */
  isLate(): boolean;
}

export interface Outlined extends Structure {
  /** The captures of the query for uses; empty if the language has none. */
  readonly uses: Uses;
}

/** The symbols of a text and the parts that a map may fold, or the reason why there are none. */
export async function outline(
  text: string,
  language: Language,
  options: OutlineOptions,
): Promise<Structure | NoStructure> {
  const found = await outlineWithUses(text, language, options);
  if (typeof found === 'string') return found;
  const { symbols, folds } = found;
  return symbols.length === 0 ? 'empty' : { symbols, folds };
}

/** As `outline`, with the names that the text uses. A text without symbols may use names. */
export async function outlineWithUses(
  text: string,
  language: Language,
  { grammar, isLate }: OutlineOptions,
): Promise<Outlined | NoStructure> {
  const lines = linesOf(text);
  const reason = unfit(text, lines);
  if (reason === 'minified' && language.name === 'json') {
    const { jsonShape } = await import('./scanners/json-shape.ts');
    const found = jsonShape(text, lines);
    return found.length === 0 ? reason : { symbols: nest(found), folds: [], uses: NO_USES };
  }
  // Long lines are normal in tables and notebooks.
  if (reason !== undefined && !(reason === 'minified' && DATA.has(language.name))) return reason;
  if (language.scanner) {
    const scan = await language.scanner();
    return { symbols: nest(scan(lines)), folds: [], uses: NO_USES };
  }
  if (!grammar) return 'language';
  const { matchesOf } = await import('./grammar/parse.ts');
  const parsed = await matchesOf(massaged(text, grammar.name), grammar, isLate);
  if (!parsed) return 'time';
  const { found, folds } = readCaptures(parsed.matches, text, lines);
  return { symbols: nest(found), folds: joined(folds, lines), uses: parsed.uses };
}

const DATA: ReadonlySet<string> = new Set(['notebook', 'csv']);

/** Sorts folds and joins adjacent ones: runs of line comments, and of imports with blank lines between them. */
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
