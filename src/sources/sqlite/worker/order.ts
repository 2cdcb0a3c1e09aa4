/** The order of rows: total, so that pages neither repeat nor skip a row. */

import { identifier, sameName } from '../quoted-names.ts';
import { Refusal } from '../sqlite-refusal.ts';
import type { Catalogued } from './catalog.ts';

/**
 * The requested order, then the key; or the key alone. The rows of a view or virtual table come in SQLite's order.
 * Throws `BAD_QUERY` for a column that does not exist.
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

/** A name for the rowid, where rows come in the order of that alone and a page can begin after one. */
export function rowidOrder(table: Catalogued, order?: string): string | undefined {
  const isWide = table.columns.length > MOST_COLUMNS;
  return order === undefined && isStored(table) && !isWide ? table.rowid : undefined;
}

/** With the rowid beside them a third as many as SQLite can select: a large value is selected as three. */
const MOST_COLUMNS = 600;

function isStored({ type }: Catalogued): boolean {
  return type === 'table' || type === 'shadow table';
}

/** `column`, `column:asc` or `column:desc`; a column with the name `a:desc` has precedence. */
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
