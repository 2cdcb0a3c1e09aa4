import { expect, test } from 'vitest';
import { fc } from '../support/properties.ts';
import { sortInTurns } from '../../src/queues/turns.ts';

test('gives the order of a stable sort in one step', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(50), { maxLength: 20_000, size: 'max' }), async (numbers) => {
      const items = numbers.map((key, i) => ({ key, i }));
      const compare = (a: { key: number }, b: { key: number }): number => a.key - b.key;
      expect(await sortInTurns(items, (item) => item, compare)).toEqual(items.toSorted(compare));
    }),
    { numRuns: 10 },
  );
});

test('sorting half a million names yields to the event loop', { tags: 'slow' }, async () => {
  const names = Array.from({ length: 500_000 }, (_, i) => `name ${(i * 7919) % 500_000}`);
  let [compared, most, isOver] = [0, 0, false];
  const comeIn = (): void => {
    most = Math.max(most, compared);
    compared = 0;
    if (!isOver) setImmediate(comeIn);
  };
  setImmediate(comeIn);
  await sortInTurns(
    names,
    (name) => name.toLowerCase(),
    (a, b) => {
      compared += 1;
      return a < b ? -1 : 1;
    },
  );
  isOver = true;
  // The time to sort 4,096 names in one step.
  expect(most).toBeLessThan(4096 * Math.log2(4096));
});
