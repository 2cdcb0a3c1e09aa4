/** What was shown, how often, and what never: held against a list of counters. */

import { expect, test } from 'vitest';
import { fc } from '../support/properties.ts';
import { TextCoverage } from '../../src/telemetry/file-figures.ts';

const span = fc.tuple(fc.nat(60), fc.nat(60));

test('every unit counts as often as spans show it', () => {
  fc.assert(
    fc.property(fc.array(span, { maxLength: 40 }), (spans) => {
      const coverage = new TextCoverage();
      const times = Array.from({ length: 61 }, () => 0);
      for (const [a, b] of spans) {
        const [from, to] = [Math.min(a, b), Math.max(a, b)];
        const fresh = times.slice(from, to).filter((n) => n === 0).length;
        expect(coverage.add(from, to)).toEqual({ fresh, again: to - from - fresh });
        for (let i = from; i < to; i += 1) times[i] = (times[i] ?? 0) + 1;
      }
      const counted = times.map(() => 0);
      let end = -1;
      for (const stretch of coverage.stretches) {
        expect(stretch.from).toBeGreaterThanOrEqual(end);
        expect(stretch.to).toBeGreaterThan(stretch.from);
        end = stretch.to;
        for (let i = stretch.from; i < stretch.to; i += 1) counted[i] = stretch.times;
      }
      expect(counted).toEqual(times.map((n) => Math.min(n, 9)));
      expect(coverage.covered).toBe(times.filter((n) => n > 0).length);
      expect(coverage.repeated).toBe(times.filter((n) => n > 1).length);
    }),
  );
});

test('very many stretches are joined, and the result is approximate', () => {
  const coverage = new TextCoverage();
  for (let i = 0; i < 10_000; i += 1) coverage.add(3 * i, 3 * i + 1);
  expect(coverage.stretches.length).toBeLessThanOrEqual(1_000);
  expect(coverage.approximate).toBe(true);
});
