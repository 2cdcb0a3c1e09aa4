import { expect, test } from 'vitest';
import { gatherUntil, halfUntil, lookUntil } from '../../../src/engine/walk/time.ts';

test('a step leaves time for those after it, never more than two seconds of it', () => {
  const now = performance.now();
  expect(lookUntil(now + 30_000)).toBe(now + 28_000);
  expect(lookUntil(now + 4000)).toBeCloseTo(now + 3000, -2);
  expect(lookUntil(now - 100)).toBeLessThan(now);
});

test('a walk has half of the time; what is put together of many files later has more of it, up to half', () => {
  const now = performance.now();
  const [walk, few, many, most] = [
    halfUntil(now + 30_000),
    gatherUntil(now + 30_000, 100),
    gatherUntil(now + 30_000, 100_000),
    gatherUntil(now + 30_000, 1_000_000),
  ];
  expect(walk).toBeLessThan(now + 20_000);
  expect(few).toBeGreaterThan(now + 27_000);
  expect(many).toBeLessThan(now + 19_000);
  expect(most).toBeGreaterThan(now + 14_000);
});
