/** Reads the rows and cells of an HTML table, and tells data tables from layout tables. */

import { type Element, isElement } from './html-tree.ts';

/** The most columns that one cell spans. */
const MOST_SPAN = 20;

/** The most filler cells of a table for cells that span rows. */
const MOST_FILLED = 50_000;

const EMPTY: Element = { name: 'empty', attributes: {}, children: [] };

/** The rows with cells in their visual columns; positions covered by a spanning cell are empty. */
export function rowsOf(table: Element): Element[][] {
  const rows: Element[][] = [];
  const columns = new Columns();
  const visit = (element: Element): void => {
    for (const child of element.children) {
      if (!isElement(child) || child.name === 'caption') continue;
      if (child.name === 'tr') {
        endLoose();
        rows.push(columns.place(cellsOf(child)));
      } else if (isCell(child)) loose.push(child);
      else {
        endLoose();
        // Row spans end with their row group.
        if (GROUPS.has(child.name)) columns.end();
        visit(child);
        endLoose();
        if (GROUPS.has(child.name)) columns.end();
      }
    }
  };
  /** Cells outside of a row form a row of their own. */
  const loose: Element[] = [];
  const endLoose = (): void => {
    if (loose.length > 0) rows.push(columns.place(loose.splice(0)));
  };
  visit(table);
  endLoose();
  return rows.filter((row) => row.length > 0);
}

const GROUPS = new Set(['thead', 'tbody', 'tfoot']);

function isCell({ name }: Element): boolean {
  return name === 'td' || name === 'th';
}

/** The cells of a row, also inside misplaced elements such as a form around the cells. */
function cellsOf(row: Element): Element[] {
  return row.children
    .filter((child) => isElement(child))
    .flatMap((child) => (isCell(child) ? [child] : cellsOf(child)));
}

/** Tracks the columns that are covered by cells of the rows above. */
class Columns {
  /** For each column the number of following rows that are still covered. */
  #taken: number[] = [];
  #filled = 0;

  /** Ends all row spans. */
  end(): void {
    this.#taken = [];
  }

  /** Places the cells of the next row. */
  place(cells: readonly Element[]): Element[] {
    const row: Element[] = [];
    const below: number[] = [];
    const put = (cell: Element, rows: number): void => {
      row.push(cell);
      below.push(rows);
    };
    const skip = (): void => {
      for (let left = this.#taken[row.length] ?? 0; left > 0; left = this.#taken[row.length] ?? 0) {
        put(EMPTY, this.#room() ? left - 1 : 0);
      }
    };
    for (const cell of cells) {
      skip();
      const high = rowsBelow(cell);
      const wide = Math.min(Number(cell.attributes['colspan'] ?? 1) || 1, MOST_SPAN);
      put(cell, high);
      for (let i = 1; i < wide; i += 1) put(EMPTY, high);
    }
    skip();
    this.#taken = below;
    return row;
  }

  #room(): boolean {
    this.#filled += 1;
    return this.#filled < MOST_FILLED;
  }
}

/** The number of rows below that a cell spans. Source: HTML, "forming a table": `rowspan=0` is up to the end of the group. */
function rowsBelow({ attributes }: Element): number {
  const { rowspan = '1' } = attributes;
  const rows = Number.parseInt(rowspan, 10);
  if (rows === 0) return Number.POSITIVE_INFINITY;
  return rows > 1 ? rows - 1 : 0;
}

/** Whether a table is used only for layout. */
export function isLayout(rows: readonly (readonly Element[])[]): boolean {
  const isOfData = rows.some((row) => row.some(({ name }) => name === 'th'));
  return (
    widthOf(rows) < 2 ||
    rows.length < 2 ||
    rows.some((row) => row.some((cell) => has(cell, 'table') || (!isOfData && has(cell, 'pre'))))
  );
}

function has(element: Element, name: string): boolean {
  return element.children.some((child) => isElement(child) && (child.name === name || has(child, name)));
}

/** The number of columns of the widest row. */
export function widthOf(rows: readonly (readonly Element[])[]): number {
  return rows.reduce((most, row) => Math.max(most, row.length), 0);
}
