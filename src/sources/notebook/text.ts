/**
 * The text form of a notebook: a marker line before each cell, then its unchanged source. Source lines that look like a
 * marker get one more `%`, so that the text can be parsed back into the same cells.
 */

import type { CellType } from './read-cells.ts';

/** One section of the text form. `output` sections follow the cell of the same index. */
export interface Section {
  readonly type: CellType | 'output';
  readonly index: number;
  readonly text: string;
}

export interface RenderedNotebook {
  readonly text: string;
  /** The line range of each cell with its marker and outputs, 1-based and inclusive, by cell index. */
  readonly lines: ReadonlyMap<number, { readonly from: number; readonly to: number }>;
  /** The line of each section's marker, 1-based, in the order of the sections. */
  readonly starts: readonly number[];
}

const MARKER = /^# %% \[(code|markdown|raw|output)\](?: cell:(\d+))?$/;
/** A marker, escaped any number of times, with trailing blanks (a `\r`). */
const MARKER_LIKE = /^# %%+ \[(?:code|markdown|raw|output)\](?: cell:\d+)?\s*$/;
const ESCAPED = /^# %%%+ \[(?:code|markdown|raw|output)\](?: cell:\d+)?\s*$/;

export function renderSections(sections: readonly Section[]): RenderedNotebook {
  const pieces: string[] = [];
  const lines = new Map<number, { from: number; to: number }>();
  const starts: number[] = [];
  let line = 1;
  for (const { type, index, text } of sections) {
    const body = text === '' ? [] : text.split('\n').map(escape);
    pieces.push(`# %% [${type}] cell:${index}`, ...body);
    const to = line + body.length;
    starts.push(line);
    lines.set(index, { from: lines.get(index)?.from ?? line, to });
    line = to + 1;
  }
  return { text: pieces.join('\n'), lines, starts };
}

const escape = (line: string) => (MARKER_LIKE.test(line) ? line.replace('%', '%%') : line);
const unescape = (line: string) => (ESCAPED.test(line) ? line.replace('%', '') : line);

/** A parsed cell; without an index when its marker has none, because the cell was added by hand. */
export interface ParsedCell {
  readonly type: CellType;
  readonly index?: number;
  readonly source: string;
}

/**
 * Parses a text form, the inverse of `renderSections`, without outputs. Undefined for a text that does not begin with
 * a marker.
 */
export function parseNotebookText(text: string): ParsedCell[] | undefined {
  const cells: { type: string; index?: number; lines: string[] }[] = [];
  for (const line of text === '' ? [] : text.split('\n')) {
    const [matched, type, index] = MARKER.exec(line) ?? [];
    if (matched !== undefined && type !== undefined) {
      cells.push({ type, ...(index === undefined ? {} : { index: Number(index) }), lines: [] });
    } else {
      const cell = cells.at(-1);
      if (!cell) return undefined;
      cell.lines.push(unescape(line));
    }
  }
  return cells
    .filter((cell) => cell.type !== 'output')
    .map(({ lines, ...cell }) => ({ ...cell, type: cell.type as CellType, source: lines.join('\n') }));
}
