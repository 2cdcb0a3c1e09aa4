import { expect, test } from 'vitest';
import { packStructure, packedBytes, unpackStructure } from '../../src/code/packed.ts';
import { found } from '../support/structure.ts';

test('a structure survives its packing', async () => {
  const structure = await found(
    'a.ts',
    "import a from 'a';\n/** One.\n * Two.\n */\nclass A {\n  b = 1;\n  c() {\n    if (a) {\n      d();\n    }\n  }\n}\n",
  );
  expect(structure.symbols.map(({ qualified }) => qualified)).toEqual(['A', 'A.b', 'A.c']);
  expect(new Set(structure.folds.map(({ kind }) => kind))).toEqual(new Set(['imports', 'comment', 'block']));
  const packed = packStructure(structure);
  expect(unpackStructure(structuredClone(packed))).toEqual(structure);
  expect(packedBytes(packed)).toBeLessThan(1_000);
});

test('nothing survives as nothing', () => {
  expect(unpackStructure(packStructure({ symbols: [], folds: [] }))).toEqual({ symbols: [], folds: [] });
});
