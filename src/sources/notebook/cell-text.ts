/**
 * The text form of a notebook: a marker line before each cell, then its source. Source lines that look like a marker get one
 * more `%`, so that the text can be parsed back into the same cells.
 */

import { countNewlines } from '../../text/scan.ts';
import type { CellType } from './read-cells.ts';
import { nextTurn } from './notebook-turns.ts';

/** One section of the text form. `output` sections follow the cell of the same index. */
export interface Section {
  readonly type: CellType | 'output';
  readonly index: number;
  readonly text: string;
}

export interface RenderedNotebook {
  /** UTF-8, without a newline at its end. */
  readonly bytes: Uint8Array;
  /** The line range of each cell with its marker and outputs, 1-based and inclusive, by cell index. */
  readonly lines: ReadonlyMap<number, { readonly from: number; readonly to: number }>;
  /** The line of each section's marker, 1-based, in the order of the sections. */
  readonly starts: readonly number[];
  /** The byte offset (0-based) of each section's marker. */
  readonly offsets: readonly number[];
}

const MARKER = /^# %% \[(code|markdown|raw|output)\](?: cell:(\d+))?$/;
/** The `%` of a marker, escaped any number of times, with trailing blanks (a `\r`). */
const MARKER_LIKE = /(?<![^\n])# %(?=%+ \[(?:code|markdown|raw|output)\](?: cell:\d+)?[^\S\n]*(?![^\n]))/g;
const ESCAPED = /^# %%%+ \[(?:code|markdown|raw|output)\](?: cell:\d+)?\s*$/;

/** Bytes that are rendered before the event loop gets control again, and bytes counted for each part in addition. */
const AT_ONCE = 1 << 20;
const PART = 256;

export async function renderSections(sections: Iterable<Section>): Promise<RenderedNotebook> {
  const pieces: Buffer[] = [];
  const lines = new Map<number, { from: number; to: number }>();
  const starts: number[] = [];
  const offsets: number[] = [];
  let [line, offset, done] = [1, 0, 0];
  for (const section of sections) {
    const from = line;
    starts.push(from);
    offsets.push(offset);
    for (const part of partsOf(section)) {
      const piece = Buffer.from(part);
      pieces.push(piece);
      offset += piece.length;
      line += countNewlines(piece);
      done += piece.length + PART;
      if (done > AT_ONCE) await nextTurn();
      done %= AT_ONCE;
    }
    lines.set(section.index, { from: lines.get(section.index)?.from ?? from, to: line - 1 });
  }
  const bytes = Buffer.allocUnsafeSlow(offset);
  let at = 0;
  for (const piece of pieces) {
    if ((at % AT_ONCE) + piece.length > AT_ONCE) await nextTurn();
    at += piece.copy(bytes, at);
  }
  return { bytes: bytes.subarray(0, -1), lines, starts, offsets };
}

/** Yields the marker, then the text in parts of whole lines. */
function* partsOf({ type, index, text }: Section): Generator<string> {
  yield `# %% [${type}] cell:${index}\n`;
  if (text === '') return;
  for (let at = 0; at <= text.length;) {
    const newline = text.indexOf('\n', at + AT_ONCE);
    const end = newline === -1 ? text.length : newline;
    yield `${text.slice(at, end).replace(MARKER_LIKE, '# %%')}\n`;
    at = end + 1;
  }
}

const unescape = (line: string) => (ESCAPED.test(line) ? line.replace('%', '') : line);

/** A parsed cell. It has no index if its marker has none, because the cell was added by hand. */
export interface ParsedCell {
  readonly type: CellType;
  readonly index?: number;
  readonly source: string;
}

/**
 * Parses the text form (the inverse of `renderSections`) and ignores outputs. Undefined if it does not begin with a marker.
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
