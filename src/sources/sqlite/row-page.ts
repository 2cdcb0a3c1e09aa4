/** Decides how many rows fit in one answer. */

import { estimateTokens } from '../../limits.ts';
import type { Limits } from '../../types/limits.ts';
import { layOut, wholeRow } from './layout.ts';
import type { Rows } from './sqlite-protocol.ts';

export interface Page {
  readonly text: string;
  /** The number of rows in the text. */
  readonly shown: number;
  /** Indices (0-based) of rows with shortened values. */
  readonly cut: readonly number[];
}

/** The rows that fit into an answer, at least one. A single row that a table would shorten is written in full. */
export function pageOf(rows: Rows, offset: number, limits: Limits): Page {
  const layout = layOut(rows, offset + 1);
  const [first] = rows.rows;
  const fitting = fitLines(layout.head, layout.rows, limits);
  if (first && (fitting === 0 || (rows.rows.length === 1 && layout.cut.length > 0))) {
    // The row may be larger than an answer; then it is windowed like any text.
    return { text: wholeRow(rows.columns, first), shown: 1, cut: [] };
  }
  const text = layout.head + layout.rows.slice(0, fitting).join('');
  return { text, shown: fitting, cut: layout.cut.filter((row) => row < fitting) };
}

/** How many of `items` (each one or more whole lines) fit below `head`. */
export function fitLines(head: string, items: readonly string[], limits: Limits): number {
  let lines = lineCount(head);
  let bytes = Buffer.byteLength(head);
  let tokens = estimateTokens(head);
  for (const [at, item] of items.entries()) {
    lines += lineCount(item);
    bytes += Buffer.byteLength(item);
    tokens += estimateTokens(item);
    if (lines > limits.lines || bytes > limits.bytes || tokens > limits.tokens) return at;
  }
  return items.length;
}

function lineCount(text: string): number {
  return text.split('\n').length - 1;
}
