/** The numeric arguments of a tool, whatever schema a server sends. */

import { expect, test } from 'vitest';
import { numericArguments } from '../../../packages/check/src/checked-server.ts';

test('numbers, also those that may be null, and alternatives', () => {
  const number = { type: 'number' };
  expect(
    numericArguments({
      a: number,
      b: { type: ['integer', 'null'] },
      c: { anyOf: [{ type: 'null' }, { oneOf: [number] }] },
      d: { type: 'string', title: 'integer' },
      e: { type: 'array', items: number },
      f: null,
      g: true,
    }),
  ).toEqual(['a', 'b', 'c']);
});

test('a schema with thousands of arguments, of any depth', { tags: 'slow' }, () => {
  let deep: object = { type: 'integer' };
  for (let i = 0; i < 20_000; i += 1) deep = { anyOf: [deep] };
  const many = Object.fromEntries(Array.from({ length: 300_000 }, (_, i) => [`n${i}`, { type: 'integer' }]));
  const found = numericArguments({ deep, ['x'.repeat(10_000)]: { type: 'integer' }, ...many });
  expect(found).toHaveLength(98);
  expect(found[0]).toBe('n0');
});
