import { expect, test } from 'vitest';
import { scanYaml } from '../../../src/code/scanners/data.ts';
import { scan } from '../../support/scan.ts';

test('keys by their indentation, two levels of them', () => {
  expect(scan(scanYaml, 'a:\n  b:\n    c: 1\n  d: 2\ne: 3\n')).toEqual(['1-4 a', '2-3 b', '4-4 d', '5-5 e']);
});

test('a list may stand at the indentation of its key', () => {
  expect(scan(scanYaml, 'a:\n- x\n- y: 1\n  z: 2\nb:\n  - x\n')).toEqual([
    '1-4 a',
    '2-2 x',
    '3-4 y: 1',
    '5-6 b',
    '6-6 x',
  ]);
});

test('block scalars hold no keys, whatever they look like', () => {
  expect(scan(scanYaml, 'a: |\n  x: 1\n\n  y: 2\nb: >-  # note\n  z: 1\nc: !!str |2\n    q: 1\n')).toEqual([
    '1-4 a',
    '5-6 b',
    '7-8 c',
  ]);
});

test('documents, comments, quoted keys and addresses', () => {
  expect(scan(scanYaml, '# c: 1\na: 1\n---\n"b: c": 1\n\'d\': 2\nhttp://x\n...\ne: http://y # z\n')).toEqual([
    '2-2 a',
    '4-4 b: c',
    '5-5 d',
    '8-8 e',
  ]);
});
