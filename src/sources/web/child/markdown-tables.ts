/** The rows and cells of an HTML table; whether it is one of data. */

import { type Element, isElement } from './tree.ts';

/** Cells of a row that stand for one that is wide. */
const MOST_SPAN = 20;

const EMPTY: Element = { name: 'empty', attributes: {}, children: [] };

export function rowsOf(table: Element): Element[][] {
  const rows: Element[][] = [];
  const visit = (element: Element): void => {
    for (const child of element.children) {
      if (!isElement(child) || child.name === 'caption') continue;
      if (child.name === 'tr') rows.push(cellsOf(child));
      else if (child.name !== 'td' && child.name !== 'th') visit(child);
    }
  };
  visit(table);
  return rows.filter((row) => row.length > 0);
}

function cellsOf(row: Element): Element[] {
  return row.children.flatMap((cell) => {
    if (!isElement(cell) || (cell.name !== 'td' && cell.name !== 'th')) return [];
    const span = Math.min(Number(cell.attributes['colspan'] ?? 1) || 1, MOST_SPAN);
    return [cell, ...Array.from({ length: Math.max(0, span - 1) }, () => EMPTY)];
  });
}

/** Whether it is there for the layout only. */
export function isLayout(rows: readonly (readonly Element[])[]): boolean {
  return (
    widthOf(rows) < 2 ||
    rows.length < 2 ||
    rows.some((row) => row.some((cell) => cell.name !== 'empty' && (has(cell, 'table') || has(cell, 'pre'))))
  );
}

function has(element: Element, name: string): boolean {
  return element.children.some((child) => isElement(child) && (child.name === name || has(child, name)));
}

/** Of the widest row. */
export function widthOf(rows: readonly (readonly Element[])[]): number {
  return rows.reduce((most, row) => Math.max(most, row.length), 0);
}
