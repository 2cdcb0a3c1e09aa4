/** Collapses a comment or a run of imports to one line: its first line of text, within its own comment marks. */

import type { Fold } from '../structure.ts';

export interface Collapsed {
  readonly from: number;
  readonly to: number;
  /** The text that replaces lines `from` to `to`. */
  readonly text: string;
  /** The lines whose text is not shown; absent if all of it is. */
  readonly elided?: { readonly from: number; readonly to: number };
}

/** Minimum lines of a fold that is collapsed. */
const fewest = { imports: 4, comment: 3, docstring: 3, block: Number.POSITIVE_INFINITY } as const;

const blockComment = /^(\s*)(\/\*[*!]?|<!--|--\[=*\[|\(\*|=begin\b)(.*)$/;
const docstring = /^(\s*[rRbBuU]{0,2})("""|''')(.*)$/;
const closing: Readonly<Record<string, string>> = {
  '<': '-->',
  '-': ']]',
  '(': '*)',
  '=': '=end',
  '/': '*/',
};

export function collapse(fold: Fold, lines: readonly string[]): Collapsed | undefined {
  const { from, to, kind } = fold;
  if (to - from + 1 < fewest[kind]) return undefined;
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
  { from, to, kind }: Fold,
  lines: readonly string[],
  { before, rest, close }: { before: string; rest: string; close: string },
): Collapsed {
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
