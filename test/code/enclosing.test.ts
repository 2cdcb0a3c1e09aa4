import { expect, test } from 'vitest';
import { enclosing, packStructure } from '../../src/code/structure.ts';
import type { OutlineSymbol } from '../../src/code/structure.ts';

const symbol = (qualified: string, from: number, to: number, depth: number): OutlineSymbol => ({
  kind: 'function',
  name: qualified.split('.').at(-1) ?? '',
  qualified,
  signature: `function ${qualified}`,
  from,
  to,
  at: from,
  depth,
});

test('the innermost symbol of several lines that holds a line', () => {
  const structure = packStructure({
    symbols: [
      symbol('A', 2, 20, 0),
      symbol('A.b', 3, 8, 1),
      symbol('A.c', 10, 10, 1),
      symbol('D', 22, 23, 0),
    ],
    folds: [],
  });
  expect(enclosing(structure, [1, 2, 3, 8, 9, 10, 21, 23])).toEqual([
    undefined,
    { name: 'A', from: 2, to: 20 },
    { name: 'A.b', from: 3, to: 8 },
    { name: 'A.b', from: 3, to: 8 },
    { name: 'A', from: 2, to: 20 },
    { name: 'A', from: 2, to: 20 },
    undefined,
    { name: 'D', from: 22, to: 23 },
  ]);
  expect(enclosing(packStructure({ symbols: [], folds: [] }), [1])).toEqual([undefined]);
});
