import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sortInTurns } from '../../../src/engine/walk/sort-in-turns.ts';
import { longestLag, MOST_LAG_MS } from '../../support/lag.ts';

test('gives what sorting at once gives, equal items in their order', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(50), { maxLength: 20_000, size: 'max' }), async (numbers) => {
      const items = numbers.map((key, i) => ({ key, i }));
      const compare = (a: { key: number }, b: { key: number }): number => a.key - b.key;
      expect(await sortInTurns(items, (item) => item, compare)).toEqual(items.toSorted(compare));
    }),
    { numRuns: 10 },
  );
});

test('half a million names do not hold the event loop', async () => {
  const names = Array.from({ length: 500_000 }, (_, i) => `name ${(i * 7919) % 500_000}`);
  const lag = await longestLag(() =>
    sortInTurns(
      names,
      (name) => name.toLowerCase(),
      (a, b) => (a < b ? -1 : 1),
    ),
  );
  expect(lag).toBeLessThan(MOST_LAG_MS);
});
