/** Ranks the lines of a code file for its map: symbols first, then comments and bodies. */

import type { LineRange } from '../../types/result.ts';
import { containers, type LineFold, type OutlineSymbol, type TextStructure } from '../structure.ts';

/** The ranks. At a level of detail, a map shows everything of a lower rank. Arrays are indexed by line number, from 1. */
export interface LineRanks {
  /** The rank of each line; `never` for lines that are collapsed into another one. */
  readonly lines: Uint32Array;
  /** The rank of the symbol that ends on the line: lines hidden after it belong to another gap. */
  readonly ends: Uint32Array;
  /** By symbol: the rank of the line with its name. */
  readonly symbols: Uint32Array;
  /** What replaces a line and the lines after it. */
  readonly collapsed: ReadonlyMap<number, CollapsedLines>;
  /** Declarations joined to one line, for a map that is too large otherwise. */
  readonly joined: ReadonlyMap<number, JoinedHead>;
  readonly swallows: CommentTest;
  /** Lines that may be left out without a mark: blank lines, closing brackets, `#line` directives. */
  readonly trivial: Uint8Array;
  /** Lines that need no gap mark next to other lines: comments, decorators. */
  readonly quiet: Uint8Array;
  /** The index of the innermost symbol around a line; -1 for none. */
  readonly owner: Int32Array;
  /** By symbol: the index of the enclosing symbol; -1 for none. */
  readonly parents: Int32Array;
  /** Level 0 shows nothing, `levels` shows everything that a map can show, `symbolLevels` shows all symbols. */
  readonly levels: number;
  readonly symbolLevels: number;
}

const never = 0xffff_ffff;

/** Lines of more characters count as data; only the first `MAX_SHOWN_LINE_CHARACTERS` characters are shown. */
const MIN_DATA_LINE_CHARACTERS = 1_000;
const MAX_SHOWN_LINE_CHARACTERS = 200;

/** Maximum lines of the head of a declaration; the rest counts as its body. */
const MAX_HEAD_LINES = 40;

/** Decorators of at most this many lines are shown with the declaration. */
const fewDecorators = 3;

/**
 * Bodies of at most this many lines are shown if they fit. Longer ones cost more than the call that they may save: with
 * bodies of any length, the readers of `npm run bench -- tasks` use 3 % more tokens and save one call in 134.
 */
const MAX_SHORT_BODY_LINES = 6;

const closersOnly = /^\s*(?:[)\]}>]+[;,]?|end[;,]?|fi|done|esac|\*\/|)\s*$/;

/** `#line 12 "parser.y"`, as generators write it. */
const lineDirective = /^\s*#\s*(?:line\s+)?\d+\s+"[^"]*"[\s\d]*$/;

const details: ReadonlySet<OutlineSymbol['kind']> = new Set(['property', 'constant', 'variable', 'alias']);

interface Head {
  readonly from: number;
  readonly to: number;
}

/** Lines of the first paragraph below a heading that are shown before any other text. */
const MAX_LEAD_LINES = 3;

/** What the ranks need to know of a language. */
export interface RankedLanguage {
  /** The marks that begin a comment up to the end of the line. */
  readonly lineComments: readonly string[];
  /** Prose has no blocks and no closing brackets; its chapters are shown with their first lines. */
  readonly isProse: boolean;
}

export function rank(
  lines: readonly string[],
  structure: TextStructure,
  { lineComments, isProse }: RankedLanguage,
  /** What is shown whole before anything else. */
  wanted: readonly LineRange[] = [],
): LineRanks {
  const { symbols, folds } = structure;
  const count = lines.length;
  const ranks = new Uint32Array(count + 2).fill(never);
  const ends = new Uint32Array(count + 2).fill(never);
  const bySymbol = new Uint32Array(symbols.length);
  const isTrivial = isProse ? isClosingTag : isClosing;
  const trivial = Uint8Array.from({ length: count + 2 }, (_, no) => (isTrivial(lines[no - 1] ?? '') ? 1 : 0));
  const parents = parentsOf(symbols);
  const owner = ownersOf(symbols, count);
  const heads = symbols.map((symbol) => headOf(symbol, count));
  const show = (from: number, to: number, level: number): void => {
    for (let no = from; no <= Math.min(to, count); no += 1) ranks[no] = Math.min(ranks[no] ?? never, level);
  };
  let level = 0;
  for (const index of symbolOrder(symbols, parents)) {
    const symbol = symbols[index];
    const head = heads[index];
    if (!symbol || !head) continue;
    bySymbol[index] = level;
    show(head.from, head.to, level);
    show(Math.max(head.to, symbol.bodyTo ?? symbol.to) + 1, symbol.to, level);
    ends[symbol.to] = Math.min(ends[symbol.to] ?? never, level);
    level += 1;
  }
  const symbolLevels = level;
  const collapsed = new Map<number, CollapsedLines>();
  const quiet = new Uint8Array(count + 2);
  // Collapsed lines do not form a run of their own.
  const folded = new Uint8Array(count + 2);
  symbols.forEach(({ from }, i) => quiet.fill(1, from, heads[i]?.from ?? from));
  for (const fold of foldOrder(folds, lines)) {
    if (isInBody(fold, symbols, owner) || ranks[fold.from] !== never) continue;
    const short = collapse(fold, lines);
    if (short) collapsed.set(fold.from, short);
    if (fold.kind !== 'imports') quiet.fill(1, fold.from, fold.to + 1);
    show(fold.from, short ? fold.from : fold.to, level);
    if (short) folded.fill(1, fold.from + 1, fold.to + 1);
    level += 1;
  }
  for (const [row, line] of lines.entries()) {
    if (line.length > MIN_DATA_LINE_CHARACTERS) collapsed.set(row + 1, clipped(row + 1, line));
  }
  const runs = runsOf(ranks, owner, (no) => trivial[no] === 1 || folded[no] === 1);
  const depthOf = ({ from }: Run): number => symbols[owner[from] ?? -1]?.depth ?? -1;
  if (isProse) {
    for (const { from } of runs.toSorted((a, b) => depthOf(a) - depthOf(b) || a.from - b.from)) {
      let to = from;
      while (to - from + 1 < MAX_LEAD_LINES && !isBlank(lines[to] ?? '')) to += 1;
      show(from, to, level);
      level += 1;
    }
  }
  // The shortest first, so that as many as possible fit.
  for (const { from, to, size } of runs.toSorted((a, b) => a.size - b.size)) {
    if (size > MAX_SHORT_BODY_LINES) break;
    show(from, to, level);
    level += 1;
  }
  const blocks = new Uint8Array(count + 2);
  for (const { kind, from, to } of folds) if (kind === 'block') blocks.fill(1, from, to + 1);
  const isLoose = (no: number): boolean => !trivial[no] && !blocks[no] && !isBody(symbols[owner[no] ?? -1]);
  let loose = 0;
  for (const { from, to } of runs) for (let no = from; no <= to; no += 1) loose += isLoose(no) ? 1 : 0;
  if (loose > count / 2) {
    const stretches = runs.filter(({ from }) => ranks[from] === never && !isBody(symbols[owner[from] ?? -1]));
    for (const no of looseOrder(lines, stretches)) {
      if (trivial[no] || folded[no]) continue;
      show(no, no, level);
      level += 1;
    }
  }
  const joined = new Map<number, JoinedHead>();
  const swallows = swallowsBehind(lineComments);
  for (const head of heads) {
    const one = joinedHead(lines, head, swallows);
    if (one) joined.set(head.from, one);
  }
  for (const { from, to } of wanted) {
    show(from, to, 0);
    trivial.fill(0, from, to + 1);
    for (let no = from; no <= to; no += 1) {
      joined.delete(no);
      if (collapsed.get(no)?.to !== no) collapsed.delete(no);
    }
  }
  return {
    lines: ranks,
    ends,
    symbols: bySymbol,
    collapsed,
    joined,
    swallows,
    trivial,
    quiet,
    owner,
    parents,
    levels: level,
    symbolLevels,
  };
}

function isBlank(line: string): boolean {
  return line.trim() === '';
}

/** Blank lines, too. */
function isClosingTag(line: string): boolean {
  return /^\s*(?:<\/[\w:.-]+>\s*)?$/.test(line);
}

function isClosing(line: string): boolean {
  return closersOnly.test(line) || lineDirective.test(line);
}

function headOf({ from, to, at, bodyFrom }: OutlineSymbol, count: number): Head {
  const first = at - from <= fewDecorators ? from : at;
  const last = bodyFrom === undefined ? to : bodyFrom - 1;
  return { from: first, to: Math.min(Math.max(last, at), at + MAX_HEAD_LINES, count) };
}

/** `symbols` are in the order of the text, outer symbols before inner ones. */
function parentsOf(symbols: readonly OutlineSymbol[]): Int32Array {
  const open: number[] = [];
  return Int32Array.from(symbols, ({ depth, from, to }, i) => {
    while (open.length > 0) {
      const outer = symbols[open.at(-1) ?? 0];
      if (outer && outer.depth < depth && outer.from <= from && outer.to >= to) break;
      open.pop();
    }
    const parent = open.at(-1) ?? -1;
    open.push(i);
    return parent;
  });
}

function ownersOf(symbols: readonly OutlineSymbol[], count: number): Int32Array {
  const owner = new Int32Array(count + 2).fill(-1);
  symbols.forEach(({ from, to }, i) => owner.fill(i, from, Math.min(to, count) + 1));
  return owner;
}

/** By depth; fields and constants are last at each depth, and fields without inner symbols last of all. */
function symbolOrder(symbols: readonly OutlineSymbol[], parents: Int32Array): number[] {
  const parental = new Set(parents);
  const deep = 1_000;
  const keys = symbols.map(({ kind, depth }, i) => {
    const detail = details.has(kind);
    return detail && depth > 0 && !parental.has(i) ? deep + depth : 2 * depth + (detail ? 1 : 0);
  });
  return symbols.map((_, i) => i).toSorted((a, b) => (keys[a] ?? 0) - (keys[b] ?? 0) || a - b);
}

/** Imports first, then comments by indentation, so that those of outer symbols come first. */
function foldOrder(folds: readonly LineFold[], lines: readonly string[]): LineFold[] {
  const indent = ({ from }: LineFold): number => /^\s*/.exec(lines[from - 1] ?? '')?.[0].length ?? 0;
  const keyOf = (fold: LineFold): number => (fold.kind === 'imports' ? -1 : indent(fold));
  return folds
    .filter(({ kind }) => kind !== 'block')
    .map((fold) => ({ fold, key: keyOf(fold) }))
    .toSorted((a, b) => a.key - b.key || a.fold.from - b.fold.from)
    .map(({ fold }) => fold);
}

/** Whether a comment is between the statements of a body, and so part of it. */
function isInBody({ kind, from }: LineFold, symbols: readonly OutlineSymbol[], owner: Int32Array): boolean {
  if (kind === 'docstring') return false;
  const around = symbols[owner[from] ?? -1];
  return (
    around?.bodyFrom !== undefined &&
    from >= around.bodyFrom &&
    from <= (around.bodyTo ?? 0) &&
    !containers.has(around.kind)
  );
}

function isBody(symbol: OutlineSymbol | undefined): boolean {
  return symbol !== undefined && !containers.has(symbol.kind);
}

interface Run {
  readonly from: number;
  readonly to: number;
  /** Number of lines that are not trivial. */
  readonly size: number;
}

/** Runs of lines without a rank that belong to one symbol, or to none. Lines to `skip` neither begin nor end a run. */
function runsOf(ranks: Uint32Array, owner: Int32Array, skip: (no: number) => boolean): Run[] {
  const runs: Run[] = [];
  const count = ranks.length - 2;
  for (let no = 1; no <= count;) {
    if (ranks[no] !== never || skip(no)) {
      no += 1;
      continue;
    }
    const from = no;
    let to = no;
    let size = 0;
    for (; no <= count && ranks[no] === never && owner[no] === owner[from]; no += 1) {
      if (skip(no)) continue;
      to = no;
      size += 1;
    }
    runs.push({ from, to, size });
  }
  return runs;
}

function clipped(no: number, line: string): CollapsedLines {
  const text = `${line.slice(0, MAX_SHOWN_LINE_CHARACTERS).toWellFormed()} ...`;
  return { from: no, to: no, text, elided: { from: no, to: no } };
}

// Collapses a comment or a run of imports to one line: its first line of text, within its own comment marks.

export interface CollapsedLines {
  readonly from: number;
  readonly to: number;
  /** The text that replaces lines `from` to `to`. */
  readonly text: string;
  /** The lines whose text is not shown; absent if all of it is. */
  readonly elided?: { readonly from: number; readonly to: number } | undefined;
}

/** Minimum lines of a fold that is collapsed. */
const MIN_COLLAPSED_LINES = {
  imports: 4,
  comment: 3,
  docstring: 3,
  block: Number.POSITIVE_INFINITY,
} as const;

const blockComment = /^(\s*)(\/\*[*!]?|<!--|--\[=*\[|\(\*|=begin\b)(.*)$/;
const docstring = /^(\s*[rRbBuU]{0,2})("""|''')(.*)$/;
const closing: Readonly<Record<string, string>> = {
  '<': '-->',
  '-': ']]',
  '(': '*)',
  '=': '=end',
  '/': '*/',
};

function collapse(fold: LineFold, lines: readonly string[]): CollapsedLines | undefined {
  const { from, to, kind } = fold;
  if (to - from + 1 < MIN_COLLAPSED_LINES[kind]) return undefined;
  const first = lines[from - 1] ?? '';
  const block =
    kind === 'comment' ? blockComment.exec(first) : kind === 'docstring' ? docstring.exec(first) : null;
  if (!block) return { from, to, text: `${first.trimEnd()} ...`, elided: { from: from + 1, to } };
  const [, indent = '', open = '', rest = ''] = block;
  const close = kind === 'docstring' ? open : (closing[open[0] ?? ''] ?? '*/');
  return framed(fold, lines, { before: `${indent}${open}`, rest, close });
}

/** Collapses a comment with an opening and a closing mark: its first line of text between the two marks. */
function framed(
  { from, to, kind }: LineFold,
  lines: readonly string[],
  { before, rest, close }: { before: string; rest: string; close: string },
): CollapsedLines {
  const words = /[\p{L}\p{N}]/u;
  let row = from;
  let said = rest;
  while (!words.test(said) && row < to) {
    said = lines[row] ?? '';
    row += 1;
  }
  said = bare(said);
  const last = lines[to - 1] ?? '';
  const alone = last.replace(close, '').replaceAll('*', '').trim() === '';
  const elided = { from: row + 1, to: alone ? to - 1 : to };
  const left = lines.slice(elided.from - 1, elided.to).filter((line) => words.test(line));
  if (left.length === 1) {
    // Leaving out a single line saves nothing, because `...` takes its place.
    said = `${said} ${bare((left[0] ?? '').replace(close, ''))}`;
    elided.from = elided.to + 1;
  }
  const gap = kind === 'docstring' && said.endsWith('...') ? '' : ' ...';
  if (elided.from > elided.to)
    return { from, to, text: `${before}${space(before)}${said} ${close}`.replace(/ ("""|''')$/, '$1') };
  return { from, to, text: `${before}${space(before)}${said}${gap} ${close}`, elided };
}

/** The text of a comment line, without its mark. */
function bare(line: string): string {
  return line.trim().replace(/^\*+\s?/, '');
}

function space(before: string): string {
  return /["']$/.test(before) ? '' : ' ';
}

// Joins the lines of a declaration to one line without leaving anything out.

export interface JoinedHead {
  readonly to: number;
  readonly text: string;
}

/** Maximum characters of a joined declaration. */
const MAX_JOINED_CHARACTERS = 1_000;

/** Whether a line ends in a line comment, so that text joined to it would become part of the comment. */
type CommentTest = (line: string) => boolean;

/**
 * `signs`: the line comment marks of the language. A mark in a word or URL is ignored; one in a string may count, which
 * only means that lines are not joined.
 */
function swallowsBehind(signs: readonly string[]): CommentTest {
  if (signs.length === 0) return () => false;
  const before = (sign: string): string =>
    sign === '#' ? String.raw`(?<![^\s;,(){}\]])` : String.raw`(?<![:"'` + '`])';
  const comment = new RegExp(signs.map((sign) => before(sign) + sign).join('|'));
  return (line) => comment.test(line);
}

/** Lines `from` to `to` as one; undefined for a single line, and if they cannot be joined. */
function joinedHead(
  lines: readonly string[],
  { from, to }: LineRange,
  swallows: CommentTest,
): JoinedHead | undefined {
  if (from >= to) return undefined;
  const head = lines.slice(from - 1, to);
  if (head.some(swallows)) return undefined;
  const [first = '', ...rest] = head;
  const text = [first.trimEnd(), ...rest.map((line) => line.trim())]
    .filter((line) => line !== '')
    .join(' ')
    .replace(/([([]) /g, '$1')
    .replace(/ ([)\]])/g, '$1');
  return text.length <= MAX_JOINED_CHARACTERS ? { to, text } : undefined;
}

// The order of the lines outside of all symbols: statements of a script, or text that the parser did not understand.

/** A run of lines that a map does not show yet. */
interface LooseLines {
  readonly from: number;
  readonly to: number;
}

/**
 * The lines in the order in which a map shows them: by indentation, and with equal indentation first those that begin a
 * paragraph or have more indented lines below them.
 */
function looseOrder(lines: readonly string[], stretches: readonly LooseLines[]): number[] {
  const keyed: { readonly no: number; readonly key: number }[] = [];
  for (const { from, to } of stretches) {
    for (let no = from; no <= to; no += 1) {
      const line = lines[no - 1] ?? '';
      const indent = indentOf(line);
      if (indent === -1) continue;
      const begins = no === from || indentOf(lines[no - 2]) === -1;
      keyed.push({ no, key: 2 * indent + (begins || indentOf(lines[no]) > indent ? 0 : 1) });
    }
  }
  return keyed.toSorted((a, b) => a.key - b.key || a.no - b.no).map(({ no }) => no);
}

/** -1 for a blank line. */
function indentOf(line = ''): number {
  return line.search(/\S/);
}
