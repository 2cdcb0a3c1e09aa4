/** Whether larger windows reduced calls, said with the figures or not at all. */

import { expect, test } from 'vitest';
import { verdictOf } from '../../src/telemetry/report.ts';
import type { CallEvent } from '../../src/types/telemetry.ts';
import { figuresOf, page } from '../support/telemetry.ts';

/** A file of 100,000 bytes read in pages of so many lines. */
function reader(name: string, lines: number): CallEvent[] {
  return Array.from({ length: 1_000 / lines }, (_, i) =>
    page(1 + i * lines, (i + 1) * lines, { source: name }),
  );
}

test('few calls after a large first window: yes', () => {
  const figures = figuresOf(
    ...['a', 'b', 'c'].flatMap((name) => reader(name, 50)),
    ...['d', 'e', 'f'].flatMap((name) => reader(name, 500)),
  );
  expect(verdictOf(figures.sizes.sizes)).toEqual({
    reduced: 'yes',
    text:
      'Larger windows reduced calls: texts over 8 KiB that were begun with an answer of 32 KiB or more took 2.0 reads each ' +
      '(3 of them), those begun with less than 8 KiB took 20.0 (3 of them).',
  });
});

test('as many calls whatever the first window: no', () => {
  const same = (name: string, lines: number) => [
    page(1, lines, { source: name }),
    page(900, 901, { source: name }),
  ];
  const figures = figuresOf(
    ...['a', 'b', 'c'].flatMap((name) => same(name, 50)),
    ...['d', 'e', 'f'].flatMap((name) => same(name, 500)),
  );
  expect(verdictOf(figures.sizes.sizes).reduced).toBe('no');
});

test('too few texts of a size: nothing is concluded', () => {
  const figures = figuresOf(...reader('a', 50), ...reader('b', 500), ...reader('c', 500));
  expect(verdictOf(figures.sizes.sizes)).toEqual({
    reduced: 'unknown',
    text:
      'Whether larger windows reduced calls cannot be told yet. It takes 3 texts over 8 KiB that were begun with an ' +
      'answer below 8 KiB (so far 1) and 3 with one of 32 KiB or more (so far 2).',
  });
});

test('a changed text begins anew, without the last one’s pages', () => {
  const versions = (name: string, lines: number) =>
    [1, 2, 3].flatMap((version) => [page(1, lines, { source: name, version: `v${version}` })]);
  const figures = figuresOf(...versions('a', 50), ...versions('b', 500));
  expect(figures.sizes.sizes.map(({ sources, reads }) => [sources, reads])).toEqual([
    [3, 3],
    [0, 0],
    [3, 3],
  ]);
});

test('texts that fit into the smallest window say nothing', () => {
  const small = { totalLines: 50, totalBytes: 5_000 };
  const figures = figuresOf(...['a', 'b', 'c'].map((source) => page(1, 50, { source, ...small })));
  expect(figures.sizes.sizes.every(({ sources }) => sources === 0)).toBe(true);
});
