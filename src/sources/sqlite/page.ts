/** Owns how many rows go into one answer, and the sentence that leads to the next ones. */

import type { Notice } from '../../render/notices.ts';
import { estimateTokens } from '../../text/tokens.ts';
import type { Limits } from '../../window/types.ts';
import { layOut, wholeRow } from './layout.ts';
import type { Rows } from './protocol.ts';

export interface Page {
  readonly text: string;
  /** Rows in the text. */
  readonly shown: number;
  /** Rows (by their place) that show less than is stored. */
  readonly cut: readonly number[];
}

/** The rows that fit, one at least. An only row with more in it than a table can show is written in full. */
export function pageOf(rows: Rows, offset: number, limits: Limits): Page {
  const layout = layOut(rows, offset + 1);
  const [first] = rows.rows;
  const fitting = fitLines(layout.head, layout.rows, limits);
  if (first && (fitting === 0 || (rows.rows.length === 1 && layout.cut.length > 0))) {
    // Larger than an answer: it is windowed like any text.
    return { text: wholeRow(rows.columns, first), shown: 1, cut: [] };
  }
  const text = layout.head + layout.rows.slice(0, fitting).join('');
  return { text, shown: fitting, cut: layout.cut.filter((row) => row < fitting) };
}

/** How many of `items` fit below `head`: each is one or more whole lines. */
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

/** Bytes of a call that a notice may repeat: a notice has a kibibyte in all. */
const MOST_USE = 800;

/** "Showing rows 1-20 of 1000. Use db.sqlite:users?limit=20&offset=20 to continue". */
export function continuation(span: string, use: string, offset: number): Notice {
  if (Buffer.byteLength(use) > MOST_USE) {
    return said(`Showing ${span}. Make the same call with offset=${offset} to continue`);
  }
  return said(`Showing ${span}. Use ${use} to continue`, use);
}

/** A sentence without its brackets. */
export function said(text: string, use?: string): Notice {
  return { kind: 'said', text, ...(use === undefined ? {} : { use }) };
}
