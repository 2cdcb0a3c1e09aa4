import { expect, test } from 'vitest';
import { candidates } from '../../src/selector/split.ts';

test('the longest path comes first', () => {
  expect(candidates('a.zip:dir/x.ts:5-9')).toEqual([
    { path: 'a.zip:dir/x.ts:5-9', rest: '' },
    { path: 'a.zip:dir/x.ts', rest: '5-9' },
    { path: 'a.zip', rest: 'dir/x.ts:5-9' },
  ]);
});

test('a path never climbs out of what stands before a colon', () => {
  expect(candidates('a.zip:../../etc/passwd')).toEqual([{ path: 'a.zip', rest: '../../etc/passwd' }]);
  expect(candidates('a.zip:x/../y')).toEqual([{ path: 'a.zip', rest: 'x/../y' }]);
  expect(candidates('../up.txt:..')).toEqual([
    { path: '../up.txt:..', rest: '' },
    { path: '../up.txt', rest: '..' },
  ]);
  expect(candidates('../up.txt:5..')[0]).toEqual({ path: '../up.txt:5..', rest: '' });
  expect(candidates('file:///a/../b.txt')).toEqual([{ path: 'file:///a/../b.txt', rest: '' }]);
});

test('of too many places the first ones are kept, and the whole', () => {
  const found = candidates(`a.db?q=${'x:'.repeat(1_000)}`);
  expect(found).toHaveLength(256);
  expect(found[0]?.rest).toBe('');
  expect(found.at(-1)?.path).toBe('a.db');
});
