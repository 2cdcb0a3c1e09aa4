/** Owns which lines a summary leaves out at one level of detail. */

import { containers, type Fold, type OutlineSymbol, type Structure } from '../structure.ts';
import { type Collapsed, collapse } from './collapse.ts';

export interface Detail {
  /** Bodies of up to this many lines stay. */
  readonly small: number;
  /** The first lines of comments are shown. */
  readonly comments: boolean;
  /** Lines of a class that belong to no symbol are shown: its fields. */
  readonly fields: boolean;
  /** Symbols nested deeper than this are left out. */
  readonly depth: number;
}

export interface Hidden {
  /** By line number, from 1. */
  readonly hidden: Uint8Array;
  /** What is shown in place of a line and those after it. */
  readonly collapsed: ReadonlyMap<number, Collapsed>;
  /** Lines with which the body of a shown symbol ends: what is left out after them is another's. */
  readonly ends: ReadonlySet<number>;
}

/** Lines over this many characters are data; of a declaration so long, this many are shown. */
const longLine = 1_000;
const longLineShown = 200;

/** Lines that are shown of a declaration, from its name on: the rest goes with its body. */
const longDeclaration = 12;

export function hide(lines: readonly string[], { symbols, folds }: Structure, detail: Detail): Hidden {
  const hidden = new Uint8Array(lines.length + 2);
  const set = (from: number, to: number, value: 0 | 1): void => {
    if (from <= to) hidden.fill(value, from, Math.min(to, lines.length) + 1);
  };
  const bodies = new Set(symbols.filter(isContainer).map(({ bodyFrom, bodyTo }) => `${bodyFrom}-${bodyTo}`));
  for (const fold of folds) {
    if (fold.kind !== 'block' || bodies.has(`${fold.from}-${fold.to}`)) continue;
    if (fold.to - fold.from >= detail.small) set(fold.from, fold.to, 1);
  }
  lines.forEach((line, row) => line.length > longLine && set(row + 1, row + 1, 1));
  for (const symbol of symbols) placeSymbol(symbol, detail, set);
  const collapsed = new Map<number, Collapsed>();
  for (const [row, line] of lines.entries()) {
    if (line.length > longLine && !hidden[row + 1]) collapsed.set(row + 1, clipped(row + 1, line));
  }
  for (const fold of folds) {
    if (fold.kind === 'block') continue;
    if (isDoc(fold) && !detail.comments) set(fold.from, fold.to, 1);
    else if (fold.kind === 'docstring' && !hidden[lineAbove(fold.from, lines)]) set(fold.from, fold.from, 0);
    const short = collapse(fold, lines);
    if (short) collapsed.set(fold.from, short);
  }
  showShortRuns(lines, hidden, detail.small);
  const shown = symbols.filter(({ depth }) => depth <= detail.depth);
  return { hidden, collapsed, ends: new Set(shown.map(({ to }) => to)) };
}

type SetLines = (from: number, to: number, value: 0 | 1) => void;

function placeSymbol(symbol: OutlineSymbol, detail: Detail, set: SetLines): void {
  const { from, to, at, bodyFrom = to + 1, bodyTo = to, depth } = symbol;
  if (depth > detail.depth) {
    set(from, to, 1);
    return;
  }
  const head = Math.min(bodyFrom - 1, at + longDeclaration);
  set(from, head, 0);
  set(bodyTo + 1, to, 0);
  if (isContainer(symbol) && detail.fields) return;
  const small = bodyTo - head <= detail.small;
  set(head + 1, bodyTo, small ? 0 : 1);
}

function clipped(no: number, line: string): Collapsed {
  const text = `${line.slice(0, longLineShown).toWellFormed()} ...`;
  return { from: no, to: no, text, elided: { from: no, to: no } };
}

function isContainer({ kind }: OutlineSymbol): boolean {
  return containers.has(kind);
}

function isDoc({ kind }: Fold): boolean {
  return kind === 'comment' || kind === 'docstring';
}

/** The line above with something on it: a docstring is shown where its signature is. */
function lineAbove(line: number, lines: readonly string[]): number {
  let above = line - 1;
  while (above > 0 && (lines[above - 1] ?? '').trim() === '') above -= 1;
  return above;
}

/** One line left out is one line of dots: nothing gained. */
function showShortRuns(lines: readonly string[], hidden: Uint8Array, small: number): void {
  if (small === 0) return;
  for (let no = 1; no <= lines.length; no += 1) {
    const alone = hidden[no] === 1 && !hidden[no - 1] && !hidden[no + 1];
    if (alone && (lines[no - 1] ?? '').length <= 100) hidden[no] = 0;
  }
}
