import { expect, test, vi } from 'vitest';
import { gatherUntil, halfUntil, lookUntil } from '../../src/walk/collect-walk.ts';

test('later steps have a quarter, at most two seconds', () => {
  const now = performance.now();
  expect(lookUntil(now + 30_000)).toBeCloseTo(now + 28_000, 3);
  expect(lookUntil(now + 4000)).toBeCloseTo(now + 3000, -2);
  expect(lookUntil(now - 100)).toBeLessThan(now);
});

test('a long step gets half, processing reserves quarter to half', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  try {
    const now = performance.now();
    const left = (count: number): number => now + 30_000 - gatherUntil(now + 30_000, count);
    expect(halfUntil(now + 30_000)).toBe(now + 15_000);
    expect([0, 100, 50_000, 60_000, 100_000, 1_000_000].map(left)).toEqual([
      7_500, 7_500, 7_500, 8_000, 12_000, 15_000,
    ]);
    expect(now + 4_000 - gatherUntil(now + 4_000, 0)).toBe(2_000);
    // Without a timeout: no timer can wait forever.
    expect([halfUntil(Infinity), gatherUntil(Infinity, 0)]).toEqual([now + 3_600_000, now + 2_700_000]);
  } finally {
    vi.useRealTimers();
  }
});
