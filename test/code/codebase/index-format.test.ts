/** Tags of files as they are kept on disk. */

import { serialize } from 'node:v8';
import { expect, test } from 'vitest';
import { readPart, writePart } from '../../../src/code/codebase/stored-index.ts';
import { packTags, unpackTags } from '../../../src/code/tags.ts';

const tags = ['8\t1\t2\t1\t0\topen\t\topen()\t\x1copen\t3\t\x1c./b.ts', '', '\x1cgröße\t1\t\x1c'];
const entries = [
  { path: 'src/a.ts', key: '["file",1n,2n,3n,4n,5n]' },
  { path: 'src/empty.ts', key: '["file",1n,3n,0n,4n,5n]' },
  { path: 'sonne/größe.py', key: 'k' },
];

test('what was written is read again', () => {
  const [read, ...more] = readPart(writePart([{ entries, tags: packTags(tags) }]));
  expect(more).toEqual([]);
  expect(read?.entries).toEqual(entries);
  expect(read && unpackTags(read.tags)).toEqual(tags);
  expect(readPart(writePart([]))).toEqual([]);
});

test('a damaged index or one of another version is empty', () => {
  const bytes = writePart([{ entries, tags: packTags(tags) }]);
  expect(readPart(bytes.subarray(0, bytes.length / 2))).toEqual([]);
  expect(readPart(Buffer.from('no tags'))).toEqual([]);
  expect(readPart(serialize({ version: 'oriel tags 0', shards: [{ entries: [] }] }))).toEqual([]);
  expect(readPart(serialize(undefined))).toEqual([]);
});
