import { expect, test } from 'vitest';
import { lookUntil } from '../../../src/engine/walk/time.ts';

test('a step leaves time for those after it, never more than two seconds of it', () => {
  const now = performance.now();
  expect(lookUntil(now + 30_000)).toBe(now + 28_000);
  expect(lookUntil(now + 4000)).toBeCloseTo(now + 3000, -2);
  expect(lookUntil(now - 100)).toBeLessThan(now);
});
