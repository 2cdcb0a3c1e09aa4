/** Workbooks as text: every sheet with its range and cells, only the first rows of a large sheet, or one range. */

import { SSF } from '@e965/xlsx';
import {
  type DocumentFacts,
  type Format,
  Refused,
  type SheetFacts,
  type SheetRange,
} from '../document-protocol.ts';
import {
  areaName,
  columnsOf,
  EVERYTHING,
  type Grid,
  parseArea,
  rangeName,
  rowCount,
  sheetHead,
  tableLines,
  usedArea,
} from './grid.ts';
import { hasHeader } from './headers.ts';
import { drawingText, readGrids } from './read-workbook.ts';

/** The most cells and rows of a sheet that is shown completely. */
const MOST_CELLS = 20_000;
const MOST_ROWS = 1_000;

/** The rows shown of a larger sheet. */
const HEAD_ROWS = 20;

export function workbookText(
  bytes: Buffer,
  format: Format,
): { text: Iterable<string>; facts: DocumentFacts } {
  const grids = readGrids(bytes, 'first');
  const facts = sheetsOf(grids);
  return { text: wholeText(grids, () => drawingText(bytes, format)), facts };
}

function* wholeText(grids: readonly Grid[], drawings: () => string): Generator<string> {
  for (const [i, grid] of grids.entries()) {
    yield (i === 0 ? '' : '\n') + sheetHead(grid);
    if (grid.rows.size === 0) continue;
    yield '\n';
    yield* tableLines(grid, EVERYTHING, shownRows(grid), SSF);
  }
  yield drawings();
}

/** The rows that `workbookText` leaves out. `ranges` grows while the text is consumed. */
export function restText(bytes: Buffer): {
  text: Iterable<string>;
  facts: DocumentFacts;
  ranges: readonly SheetRange[];
} {
  // How many rows that text has is decided with only the first rows read, as there.
  const shown = readGrids(bytes, 'first').map(shownRows);
  const grids = readGrids(bytes, 'all');
  const ranges: SheetRange[] = [];
  return { text: rowsLeftOut(grids, shown, ranges), facts: sheetsOf(grids), ranges };
}

function* rowsLeftOut(
  grids: readonly Grid[],
  shown: readonly number[],
  ranges: SheetRange[],
): Generator<string> {
  let [lines, start] = [0, 0];
  for (const [i, grid] of grids.entries()) {
    const area = usedArea(grid.rows);
    const top = [...grid.rows.keys()].sort((a, b) => a - b)[shown[i] ?? 0];
    if (!area || top === undefined) continue;
    const below = { ...area, top };
    ranges.push({ sheet: grid.name, range: areaName(below), lines, start });
    for (const line of tableLines(grid, below, Number.POSITIVE_INFINITY, SSF)) {
      lines += 1;
      start += Buffer.byteLength(line);
      yield line;
    }
  }
}

export function sheetText(
  bytes: Buffer,
  { sheet, range }: { readonly sheet: string; readonly range?: string },
): { text: Iterable<string>; facts: DocumentFacts; allSheets?: readonly SheetFacts[] } {
  const area = range === undefined ? EVERYTHING : parseArea(range);
  if (!area) throw new Refused('absent', `${range} is not a range of cells`);
  const upTo = range === undefined ? 'first' : Number.isFinite(area.bottom) ? area.bottom + 1 : 'all';
  const grids = readGrids(bytes, upTo);
  const facts = sheetsOf(grids);
  const grid = findSheet(grids, sheet);
  if (!grid) throw new Refused('absent', `there is no sheet ${sheet}`);
  if (range === undefined)
    return {
      text: wholeText([grid], () => ''),
      facts: { sheets: [sheetFacts(grid)] },
      ...(facts.sheets && { allSheets: facts.sheets }),
    };
  return { text: tableLines(grid, area, Number.POSITIVE_INFINITY, SSF), facts };
}

/** Finds a sheet by name, otherwise case-insensitively. An empty name means the first visible sheet. */
function findSheet(grids: readonly Grid[], name: string): Grid | undefined {
  if (name === '') return grids.find(({ hidden }) => hidden === '') ?? grids[0];
  const lower = name.toLowerCase();
  return grids.find((grid) => grid.name === name) ?? grids.find((grid) => grid.name.toLowerCase() === lower);
}

function shownRows(grid: Grid): number {
  const cells = grid.rows.size * columnsOf(grid.rows).length;
  return rowCount(grid) > MOST_ROWS || cells > MOST_CELLS ? HEAD_ROWS : grid.rows.size;
}

/** The most bytes of JSON about sheets, because a reply's head is kept in memory. */
const MOST_FACTS = 1 << 20;

export function sheetsOf(grids: readonly Grid[]): DocumentFacts {
  let bytes = 0;
  const sheets = grids
    .map(sheetFacts)
    .filter((facts) => (bytes += Buffer.byteLength(JSON.stringify(facts))) <= MOST_FACTS);
  return { sheets, ...(sheets.length < grids.length && { sheetCount: grids.length }) };
}

function sheetFacts(grid: Grid): SheetFacts {
  const area = usedArea(grid.rows);
  const shown = shownRows(grid);
  return {
    name: grid.name,
    ...(grid.hidden !== '' && { hidden: true }),
    ...(area && { range: rangeName(grid, area) }),
    rows: rowCount(grid),
    ...(grid.goesOn && { goesOn: true }),
    columns: columnsOf(grid.rows).length,
    ...(shown < rowCount(grid) && { shown }),
    ...(hasHeader(grid) && { header: true }),
  };
}
