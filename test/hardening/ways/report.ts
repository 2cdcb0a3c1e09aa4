/** The table of what was tried: a row for each case, a column for each way in. */

import type { Case } from './case.ts';
import { type WayName, wayNames } from './way.ts';

export type Cell = 'holds' | 'BROKEN' | 'not run' | '-';

export class Report {
  readonly #cells = new Map<string, Cell>();
  readonly cases: readonly Case[];

  constructor(cases: readonly Case[]) {
    this.cases = cases;
    for (const { id, ways = wayNames } of cases) {
      for (const way of wayNames) this.set(id, way, ways.includes(way) ? 'not run' : '-');
    }
  }

  set(id: string, way: WayName, cell: Cell): void {
    this.#cells.set(`${id} ${way}`, cell);
  }

  get(id: string, way: WayName): Cell {
    return this.#cells.get(`${id} ${way}`) ?? '-';
  }

  /** Lines for a terminal. */
  text(): string {
    const rows = this.cases.map(({ id, title }) => [id, ...wayNames.map((way) => this.get(id, way)), title]);
    const head = ['case', ...wayNames, 'what is tried'];
    const widths = head.map((title, at) =>
      Math.max(title.length, ...rows.map((row) => row[at]?.length ?? 0)),
    );
    const line = (row: readonly string[]): string =>
      row.map((cell, at) => (at === row.length - 1 ? cell : cell.padEnd(widths[at] ?? 0))).join('  ');
    return [line(head), ...rows.map(line), '', this.summary(), this.total()].join('\n');
  }

  /** The last line: how many cases through how many ways, and with which exceptions. */
  total(): string {
    const cells = this.cases.flatMap(({ id }) => wayNames.map((way) => ({ id, cell: this.get(id, way) })));
    const of = (cell: Cell): readonly string[] => [
      ...new Set(cells.filter((one) => one.cell === cell).map(({ id }) => id)),
    ];
    const count = (cell: Cell): number => cells.filter((one) => one.cell === cell).length;
    const named = (cell: Cell): string => (of(cell).length === 0 ? '' : ` (${of(cell).join(' ')})`);
    const tried = cells.length - count('-');
    return (
      `${this.cases.length} cases × ${wayNames.length} ways: ${count('holds')} of ${tried} hold, ` +
      `${count('BROKEN')} broken${named('BROKEN')}, ${count('not run')} not run${named('not run')}; ` +
      `${of('-').length} cases are about some ways only (${count('-')} fields)`
    );
  }

  /** One line for each way. */
  summary(): string {
    return wayNames
      .map((way) => {
        const cells = this.cases.map(({ id }) => this.get(id, way));
        const count = (cell: Cell): number => cells.filter((one) => one === cell).length;
        return `${way}: ${count('holds')} hold, ${count('BROKEN')} broken, ${count('not run')} not run, ${count('-')} do not apply`;
      })
      .join('\n');
  }
}
