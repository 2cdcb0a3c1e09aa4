/** Figures in words. */

import { expect, test } from 'vitest';
import type { FileReport } from '../../src/types/telemetry.ts';
import { coverageWords, percentWords, timeWords } from '../../src/telemetry/report.ts';

test('a time of another day has its day', () => {
  const at = new Date(2026, 10, 22, 14, 3, 22).getTime();
  expect(timeWords(at, new Date(2026, 10, 22, 23, 59).getTime())).toBe('14:03:22');
  expect(timeWords(at, new Date(2026, 10, 23, 0, 1).getTime())).toBe('2026-11-22 14:03:22');
  expect(timeWords(8.64e15, at)).toMatch(/\d\d:\d\d:\d\d$/);
});

test('only the whole is shown as 100 %', () => {
  expect([0, 0.004, 0.5, 0.996, 0.99999, 1].map(percentWords)).toEqual([
    '0 %',
    '0 %',
    '50 %',
    '99 %',
    '99 %',
    '100 %',
  ]);
});

test('coverage says if it is estimated', () => {
  const file: FileReport = {
    source: 'a',
    reads: 1,
    bytes: 1,
    redundancy: 0,
    followed: 0,
    versions: 1,
    unit: 'lines',
    total: 1_000,
    once: 300,
    again: 120,
    never: 580,
    stretches: [],
  };
  expect(coverageWords(file)).toBe('once 300, again 120, never 580 of 1,000 lines');
  expect(coverageWords({ ...file, approximate: true })).toMatch(/^about once 300/);
});
