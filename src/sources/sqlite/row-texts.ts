/** Reads many rows of a table as texts for a search, each as the call for this row shows it. */

import { OrielError } from '../../errors.ts';
import type { OpenedFile } from '../../types/access.ts';
import type { Call } from '../../types/call.ts';
import type { Limits } from '../../types/limits.ts';
import { writeSegment } from './row-address.ts';
import { wholeRow } from './layout.ts';
import { keyOf } from './row-notices.ts';
import { ask } from './open-database.ts';
import { pageOf } from './row-page.ts';
import type { Ask, Cell, Reply } from './sqlite-protocol.ts';
import { Refusal } from './sqlite-refusal.ts';

/** The most bytes of text per request. */
const ROOM = 512 << 10;

/** The start of a range of rows, and a text that they must contain. */
export type From = Pick<Extract<Ask, { do: 'rows' }>, 'offset' | 'after' | 'containing'>;

export interface RowTexts {
  /** The texts in the order of the table's pages. */
  readonly texts: readonly string[];
  /** The selector of row `index` (0-based), after the path of the database: "users:42", "best?limit=1&offset=3". */
  call(index: number): string;
  /** Whether a value is too large to be loaded. */
  readonly isCut: boolean;
  /** The start of the next rows; absent after the last ones. */
  readonly next?: From;
}

/** `table` is encoded as in calls. Throws OrielError. */
export async function rowTexts(opened: OpenedFile, table: string, from: From, call: Call): Promise<RowTexts> {
  const reply = await ask(opened, { ask: { do: 'rows', table, ...from }, room: ROOM }, call).catch(
    (error: unknown) => {
      throw error instanceof Refusal ? new OrielError(error.code, error.message, { cause: error }) : error;
    },
  );
  if (reply.is === 'error') throw new OrielError(reply.code, reply.message);
  if (reply.is !== 'rows') throw new TypeError('rows were asked for');
  return textsOf(reply, from, call.limits);
}

function textsOf(reply: Extract<Reply, { is: 'rows' }>, from: From, limits: Limits): RowTexts {
  const { table, rows: found, rowids, isFiltered, scannedTo } = reply;
  const { columns, rows, more } = found;
  const name = writeSegment(table.name);
  const keys = rows.map((row, i) => callableKey(reply, row, i));
  const text = (row: readonly Cell[], i: number): string =>
    keys[i] === undefined
      ? pageOf({ columns, rows: [row], more: true }, from.offset + i, limits).text
      : wholeRow(columns, row);
  const behind = (count: number): From => {
    const after = rowids?.[count - 1] ?? from.after;
    return { ...from, offset: from.offset + count, ...(after !== undefined && { after }) };
  };
  /** A position that is correct even if rows were left out. */
  const before = (index: number): From => ({
    offset: from.offset + index,
    after: String(BigInt(rowids?.[index] ?? 0) - 1n),
  });
  const next =
    more && rows.length > 0
      ? behind(rows.length)
      : scannedTo !== undefined && { ...behind(rows.length), after: scannedTo };
  return {
    texts: rows.map(text),
    call: (i) => {
      const key = keys[i];
      if (key !== undefined) return `${name}:${key}`;
      const { offset, after } = isFiltered ? before(i) : i === 0 ? from : behind(i);
      return `${name}?limit=1&offset=${offset}${after === undefined ? '' : `&after=${after}`}`;
    },
    isCut: rows.some((row) => row.some(isCut)),
    ...(next && { next }),
  };
}

/** Undefined if the row has no key that can be used in a path. */
function callableKey(
  { table: { key }, rowids }: Extract<Reply, { is: 'rows' }>,
  row: readonly Cell[],
  i: number,
): string | undefined {
  if (key === undefined) return undefined;
  return key.column === undefined ? rowids?.[i] : keyOf(row[key.column]);
}

function isCut(cell: Cell): boolean {
  return typeof cell === 'object' && cell !== null && cell.is === 'text' && cell.clipped;
}
