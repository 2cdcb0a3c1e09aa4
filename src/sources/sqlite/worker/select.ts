/** Collects the rows of a statement that fit into an answer. */

import { identifier } from '../quoted-names.ts';
import type { Cell, Rows } from '../sqlite-protocol.ts';
import type { Connection } from './connection.ts';
import { VALUE_LIMIT } from './connection-settings.ts';
import type { Statement } from './statement.ts';
import { SqlFailure } from './statement-limits.ts';

/** The most bytes of a text cell in a table of many rows, which is more than a column can show. */
const HEAD = 512;

/** The most bytes of a single row, which is shown in full. */
const WHOLE_ROW = 2 * VALUE_LIMIT;

/**
 * The most collected bytes per byte of the answer. A text cell shows at least 40 of its 512 bytes, so rows beyond sixteen
 * times the room cannot be part of the answer.
 */
const COLLECT = 16;

export interface Collect {
  /** The number of rows to skip. */
  readonly skip: number;
  /** The most rows. */
  readonly limit: number;
  /** The most bytes of the answer. */
  readonly room: number;
  /** Whether values are collected in full until the room is used; otherwise only their starts. */
  readonly whole?: true;
}

/** Steps through `statement` and finalizes it. Text is cut to what a table can show, unless there is only one row. */
export function collect(statement: Statement, bounds: Collect): Rows {
  const { columns } = statement;
  try {
    const { rows, more } = collectHeads(statement, bounds);
    const [only, second] = rows;
    if (!only || second || !only.some(isClipped)) return { columns, rows, more };
    // A single row with cut text is selected again, in full.
    statement.reset();
    skip(statement, bounds.skip);
    return { columns, rows: statement.step() ? [readRow(statement, WHOLE_ROW)] : rows, more };
  } finally {
    statement.finalize();
  }
}

function collectHeads(statement: Statement, bounds: Collect): Pick<Rows, 'more'> & { rows: Cell[][] } {
  const rows: Cell[][] = [];
  let collected = 0;
  const [most, each] = bounds.whole ? [bounds.room, WHOLE_ROW] : [bounds.room * COLLECT, 0];
  if (!skip(statement, bounds.skip)) return { rows, more: false };
  while (statement.step()) {
    if (rows.length === bounds.limit || collected > most) return { rows, more: true };
    const row = readRow(statement, each);
    collected += row.reduce<number>((sum, cell) => sum + weight(cell), 0);
    rows.push(row);
  }
  return { rows, more: false };
}

/** Skips rows; returns false if there are fewer. */
function skip(statement: Statement, rows: number): boolean {
  for (let skipped = 0; skipped < rows; skipped++) if (!statement.step()) return false;
  return true;
}

/** `room` is the most bytes of text of all cells together; of each cell at least the start is read. */
function readRow(statement: Statement, room: number): Cell[] {
  let left = room;
  return statement.columns.map((_, at) => {
    const cell = statement.cell(at, Math.max(HEAD, left));
    left -= weight(cell);
    return cell;
  });
}

function weight(cell: Cell): number {
  return cell !== null && typeof cell === 'object' && cell.is === 'text' ? cell.text.length : 8;
}

function isClipped(cell: Cell): boolean {
  return cell !== null && typeof cell === 'object' && cell.is === 'text' && cell.clipped;
}

/**
 * The rows of `select <columns> <tail>`. If a value is larger than SQLite may load, a second statement reads sizes and loads
 * only small values.
 */
export function selectRows(
  connection: Connection,
  columns: readonly string[],
  tail: string,
  values: readonly (string | number | bigint | Uint8Array)[],
  bounds: Collect,
): Rows {
  const plain = `select ${columns.map(identifier).join(', ')} ${tail}`;
  try {
    return collect(connection.prepare(plain, values), bounds);
  } catch (error) {
    const { SQLITE_TOOBIG } = connection.library.capi;
    if (!(error instanceof SqlFailure) || error.result !== SQLITE_TOOBIG || columns.length * 3 > 2000)
      throw error;
  }
  const guarded = columns.map(identifier).map(
    (name) => `case when octet_length(${name}) <= ${VALUE_LIMIT} or typeof(${name}) not in ('text', 'blob')
      then ${name} end, octet_length(${name}), typeof(${name})`,
  );
  const triples = collect(connection.prepare(`select ${guarded.join(', ')} ${tail}`, values), bounds);
  return { ...triples, columns: [...columns], rows: triples.rows.map(joinTriples) };
}

/** Converts the triple [value or null, bytes, type] of each column to a cell. */
function joinTriples(row: readonly Cell[]): Cell[] {
  return Array.from({ length: row.length / 3 }, (_, at) => {
    const [value, bytes, type] = row.slice(at * 3, at * 3 + 3) as [Cell, Cell, Cell];
    if (value !== null || bytes === null) return value;
    const size = Number(bytes);
    const isBlob = typeof type === 'object' && type?.is === 'text' && type.text === 'blob';
    return isBlob ? { is: 'blob', bytes: size } : { is: 'text', text: '', bytes: size, clipped: true };
  });
}
