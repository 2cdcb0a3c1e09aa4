import fc from 'fast-check';
import { expect, test } from 'vitest';
import { orderKey, Smallest } from '../../../src/engine/walk/path-order.ts';

test('a folder’s files stand together, before names that it begins', () => {
  const paths = ['b', 'a.ts', 'a/z', 'a', 'a/b/c', 'A', 'a-b'];
  const sorted = paths
    .map(orderKey)
    .sort()
    .map((key) => key.replaceAll('\0', '/'));
  expect(sorted).toEqual(['A', 'a', 'a/b/c', 'a/z', 'a-b', 'a.ts', 'b']);
});

test('Smallest keeps what sorting everything would put first, whatever the order of arrival', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 3 }), { maxLength: 400 }), fc.nat(50), (keys, most) => {
      const smallest = new Smallest(most);
      for (const key of keys) smallest.offer(key);
      expect(smallest.sorted()).toEqual(keys.toSorted().slice(0, most));
    }),
  );
});
