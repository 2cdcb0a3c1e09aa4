/** Finds one row by its typed key. */

import { readSegment } from '../row-address.ts';
import { identifier } from '../quoted-names.ts';
import type { Rows } from '../sqlite-protocol.ts';
import type { Catalogued } from './catalog.ts';
import type { Connection } from './connection.ts';
import { selectRows } from './select.ts';

export interface FoundRow {
  /** The name of the column with which the key was compared. */
  readonly by: string;
  readonly rows: Rows;
}

/** Finds the row by the table's single primary key column, otherwise by its rowid. Undefined if there is none. */
export function findRow(
  connection: Connection,
  table: Catalogued,
  typed: string,
  room: number,
): FoundRow | undefined {
  if (!table.key) return undefined;
  const isRowid = table.key.column === undefined;
  const column = isRowid ? table.key.name : identifier(table.key.name);
  for (const key of readSegment(typed)) {
    for (const value of keyValues(key, isRowid)) {
      const tail = `from ${identifier(table.name)} where ${column} = ? limit 1`;
      const rows = selectRows(connection, table.columns, tail, [value], { skip: 0, limit: 1, room });
      if (rows.rows.length > 0) return { by: table.key.name, rows };
    }
  }
  return undefined;
}

/**
 * The values that a key can mean. A typed column converts text for comparison, but in one without a type 42 is not equal to
 * '42'. `x'c0ffee'` is a BLOB, as in SQL.
 */
function keyValues(key: string, isRowid: boolean): (string | number | bigint | Uint8Array)[] {
  const isInteger = /^[+-]?\d{1,19}$/.test(key) && BigInt.asIntN(64, BigInt(key)) === BigInt(key);
  if (isRowid) return isInteger ? [BigInt(key)] : [];
  const values: (string | number | bigint | Uint8Array)[] = [key];
  if (isInteger) values.push(BigInt(key));
  else if (key.trim() !== '' && Number.isFinite(Number(key))) values.push(Number(key));
  const hex = /^x'((?:[0-9a-f]{2})*)'$/i.exec(key)?.[1];
  if (hex !== undefined) values.push(Uint8Array.from(Buffer.from(hex, 'hex')));
  return values;
}
