/** The table of newline counts: where a byte and a newline are, and what of a saved table is believed. */

import { describe, expect, test } from 'vitest';
import { NewlineTable } from '../../src/text/line-index.ts';

const BLOCK = 64 << 10;
/** The most entries before the block size doubles, and from which block size on it may be more. */
const MOST = 1 << 16;
const LARGE_BLOCK = 4 << 20;

const tableOf = (...counts: number[]): NewlineTable => {
  const table = new NewlineTable();
  for (const count of counts) table.add(count);
  return table;
};

test('an empty table is one block', () => {
  const table = new NewlineTable();
  expect([table.block, Array.from(table.counts)]).toEqual([BLOCK, [0]]);
  const first = { start: 0, newlines: 0 };
  expect([table.placeOf(0), table.placeOf(10 * BLOCK), table.placeBefore(1)]).toEqual([first, first, first]);
});

test('the last block that begins at or before a byte', () => {
  const table = tableOf(3, 3, 8);
  const places = [0, BLOCK - 1, BLOCK, 3 * BLOCK - 1, 3 * BLOCK, 9 * BLOCK].map((at) => table.placeOf(at));
  expect(places).toEqual([
    { start: 0, newlines: 0 },
    { start: 0, newlines: 0 },
    { start: BLOCK, newlines: 3 },
    { start: 2 * BLOCK, newlines: 3 },
    { start: 3 * BLOCK, newlines: 8 },
    { start: 3 * BLOCK, newlines: 8 },
  ]);
});

test('the last block that begins before a newline', () => {
  const table = tableOf(3, 3, 8);
  expect([1, 3, 4, 8, 9].map((count) => table.placeBefore(count).start / BLOCK)).toEqual([0, 0, 2, 2, 3]);
});

test('the memory doubles when it is full', () => {
  const table = new NewlineTable();
  const held: number[] = [];
  for (let i = 1; i < 129; i += 1) {
    table.add(i);
    held.push(table.held);
  }
  expect([held[0], held[62], held[63], held[126], held[127]]).toEqual([512, 512, 1024, 1024, 2048]);
  expect(Array.from(table.counts)).toEqual(Array.from({ length: 129 }, (_, i) => i));
});

/** Counts of a text with one newline in each block. */
const countsOf = (length: number): Float64Array => Float64Array.from({ length }, (_, i) => i);

test('a full table keeps every second count, in doubled blocks', () => {
  const table = NewlineTable.of(BLOCK, countsOf(MOST), (MOST - 1) * BLOCK) as NewlineTable;
  expect([table.block, table.counts.length, table.held]).toEqual([BLOCK, MOST, MOST * 8]);
  table.add(MOST);
  expect([table.block, table.counts.length, table.held]).toEqual([2 * BLOCK, MOST / 2 + 1, MOST * 8]);
  expect(table.counts.every((count, i) => count === 2 * i)).toBe(true);
  expect(table.placeOf(2 * BLOCK * 100 + 1)).toEqual({ start: 200 * BLOCK, newlines: 200 });
});

test('a table of large blocks grows further first', () => {
  const table = NewlineTable.of(LARGE_BLOCK, countsOf(MOST), (MOST - 1) * LARGE_BLOCK) as NewlineTable;
  table.add(MOST);
  expect([table.block, table.counts.length]).toEqual([LARGE_BLOCK, MOST + 1]);
  const smaller = NewlineTable.of(LARGE_BLOCK / 2, countsOf(MOST), (MOST - 1) * (LARGE_BLOCK / 2));
  smaller?.add(MOST);
  expect([smaller?.block, smaller?.counts.length]).toEqual([LARGE_BLOCK, MOST / 2 + 1]);
});

describe('saved counts', () => {
  const of = (block: number, counts: readonly number[], scanned: number): number[] | undefined => {
    const table = NewlineTable.of(block, Float64Array.from(counts), scanned);
    return table && Array.from(table.counts);
  };

  test.each([
    ['no block is complete', BLOCK, [0], 5],
    ['one block is complete', BLOCK, [0, 7], BLOCK],
    ['larger blocks', 4 * BLOCK, [0, 7, 7], 8 * BLOCK + 1],
    ['every byte is a newline', BLOCK, [0, BLOCK, 2 * BLOCK], 2 * BLOCK],
  ])('are taken: %s', (_, block, counts, scanned) => {
    expect(of(block, counts, scanned)).toEqual(counts);
  });

  test.each([
    ['a block that no table has', 3 * BLOCK, [0], 5],
    ['half a block', BLOCK / 2, [0], 5],
    ['too few counts', BLOCK, [0], BLOCK],
    ['too many counts', BLOCK, [0, 7], BLOCK - 1],
    ['newlines before the first byte', BLOCK, [1, 7], BLOCK],
    ['a count that falls', BLOCK, [0, 7, 6], 2 * BLOCK],
    ['more newlines than bytes', BLOCK, [0, BLOCK + 1], BLOCK],
    ['no counts', BLOCK, [], 5],
  ])('are refused: %s', (_, block, counts, scanned) => {
    expect(of(block, counts, scanned)).toBeUndefined();
  });

  test('are refused if they exceed the size of a table', () => {
    expect(NewlineTable.of(BLOCK, countsOf(MOST + 1), MOST * BLOCK)).toBeUndefined();
  });

  test('leave room for more', () => {
    const table = NewlineTable.of(BLOCK, Float64Array.from([0, 1, 2]), 2 * BLOCK) as NewlineTable;
    expect(table.held).toBe(512);
    table.add(3);
    expect(Array.from(table.counts)).toEqual([0, 1, 2, 3]);
    const full = NewlineTable.of(BLOCK, countsOf(65), 64 * BLOCK) as NewlineTable;
    expect(full.held).toBe(1024);
  });
});
