/** Tags of files as they are kept on disk. */

import { deflateRawSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { readKept, writeKept } from '../../src/codebase/kept.ts';

const files = [
  {
    path: 'src/a.ts',
    key: '["file",1n,2n,3n,4n,5n]',
    tags: '8\t1\t2\t1\t0\topen\t\topen()\t\x1copen\t3\t\x1c./b.ts',
  },
  { path: 'src/empty.ts', key: '["file",1n,3n,0n,4n,5n]', tags: '' },
  { path: 'sonne/größe.py', key: 'k', tags: 'x' },
];

test('what was written is read again', () => {
  expect(readKept(writeKept(files))).toEqual(files);
  expect(readKept(writeKept([]))).toEqual([]);
});

test('what is damaged, or of another version, is read as nothing', () => {
  const bytes = writeKept(files);
  expect(readKept(bytes.subarray(0, bytes.length / 2))).toEqual([]);
  expect(readKept(Buffer.from('no deflate'))).toEqual([]);
  expect(readKept(deflateRawSync('oriel tags 0\na\0b\0c'))).toEqual([]);
});
