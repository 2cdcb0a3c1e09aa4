import { expect, test } from 'vitest';
import { scanToml } from '../../../src/code/scanners/data.ts';
import { scan } from '../../support/scan.ts';

test('tables end at their last content, keys stand before them', () => {
  expect(scan(scanToml, 'a = 1\n\n[b]\nc = 1\n\n# end\n[[d.e]]\nf = 2\n')).toEqual([
    '1-1 a',
    '3-4 b',
    '7-8 d.e',
  ]);
});

test('values over several lines hold no tables', () => {
  expect(scan(scanToml, "a = [\n  [1],\n  # ]\n  [2]\n]\nb = '''\n[no]\n'''\n[c]\n")).toEqual([
    '1-5 a',
    '6-8 b',
    '9-9 c',
  ]);
});

test('INI sections', () => {
  expect(scan(scanToml, '; note\n[core]\n  editor = vi\n[remote "origin"] ; x\nurl = y\n')).toEqual([
    '2-3 core',
    '4-5 remote "origin"',
  ]);
});
