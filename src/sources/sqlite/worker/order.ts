/** The order of rows, which is total, so that pages neither repeat nor skip rows. */

import { identifier, sameName } from '../quoted-names.ts';
import { Refusal } from '../sqlite-refusal.ts';
import type { Catalogued } from './catalog.ts';

/**
 * The `order by` clause: the requested order, then the key as tie-breaker. Rows of views and virtual tables are in SQLite's
 * own order. Throws `BAD_QUERY` for a column that does not exist.
 */
export function orderBy(table: Catalogued, order?: string): string {
  const terms: string[] = [];
  if (order !== undefined) terms.push(orderTerm(table, order));
  if (isStored(table)) {
    if (table.rowid !== undefined) terms.push(table.rowid);
    else terms.push(...table.primary.map(identifier));
  }
  return terms.length === 0 ? '' : `order by ${terms.join(', ')}`;
}

/** The name of the rowid, if rows are in the order of the rowid alone, so that it can be used as a cursor. */
export function rowidOrder(table: Catalogued, order?: string): string | undefined {
  const isWide = table.columns.length > MOST_COLUMNS;
  return order === undefined && isStored(table) && !isWide ? table.rowid : undefined;
}

/** The most columns: with the rowid, a third of what SQLite can select, because large values are selected as three. */
const MOST_COLUMNS = 600;

function isStored({ type }: Catalogued): boolean {
  return type === 'table' || type === 'shadow table';
}

/** Parses `column`, `column:asc` or `column:desc`. A column that is named `a:desc` takes precedence. */
function orderTerm(table: Catalogued, order: string): string {
  const columns = table.rowid === undefined ? table.columns : [...table.columns, table.rowid];
  const named = (name: string): string | undefined =>
    columns.find((column) => column === name) ?? columns.find((column) => sameName(column, name));
  const whole = named(order);
  if (whole !== undefined) return identifier(whole);
  const [, name = order, direction = 'asc'] = /^(.*):(asc|desc)$/is.exec(order) ?? [];
  const column = named(name);
  if (column !== undefined) return `${identifier(column)} ${direction}`;
  throw new Refusal(
    'BAD_QUERY',
    `${table.name} has no column ${name}; its columns are ${columns.join(', ')}`,
  );
}
