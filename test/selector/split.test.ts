import { expect, test } from 'vitest';
import { candidates } from '../../src/selector/selection.ts';

test('the longest path comes first', () => {
  expect(candidates('a.zip:dir/x.ts:5-9')).toEqual([
    { path: 'a.zip:dir/x.ts:5-9', rest: '' },
    { path: 'a.zip:dir/x.ts', rest: '5-9' },
    { path: 'a.zip', rest: 'dir/x.ts:5-9' },
  ]);
});

test('`..` in a path never leaves what precedes a colon', () => {
  expect(candidates('a.zip:../../etc/passwd')).toEqual([{ path: 'a.zip', rest: '../../etc/passwd' }]);
  expect(candidates('a.zip:x/../y')).toEqual([{ path: 'a.zip', rest: 'x/../y' }]);
  expect(candidates('../up.txt:..')).toEqual([
    { path: '../up.txt:..', rest: '' },
    { path: '../up.txt', rest: '..' },
  ]);
  expect(candidates('../up.txt:5..')[0]).toEqual({ path: '../up.txt:5..', rest: '' });
  expect(candidates('file:///a/../b.txt')).toEqual([{ path: 'file:///a/../b.txt', rest: '' }]);
});

test('of too many places the first and whole are kept', () => {
  const found = candidates(`a.db?q=${'x:'.repeat(1_000)}`);
  expect(found).toHaveLength(256);
  expect(found[0]?.rest).toBe('');
  expect(found.at(-1)?.path).toBe('a.db');
});

test('a question mark begins the rest, no path is empty', () => {
  expect(candidates('a.db?q=1')).toEqual([
    { path: 'a.db?q=1', rest: '' },
    { path: 'a.db', rest: '?q=1' },
  ]);
  expect(candidates(':5')).toEqual([{ path: ':5', rest: '' }]);
  // In a URL of a file it is no part of the path; its colon is no mark.
  expect(candidates('file:///a.db?q=b:c')).toEqual([{ path: 'file:///a.db', rest: '?q=b:c' }]);
  expect(candidates('FILE:///a?b')).toEqual([{ path: 'FILE:///a', rest: '?b' }]);
  expect(candidates('xfile:///a?b').at(0)).toEqual({ path: 'xfile:///a?b', rest: '' });
});

test('only `..` behind the mark climbs, not the path before', () => {
  expect(candidates('a.zip:x/..')).toEqual([{ path: 'a.zip', rest: 'x/..' }]);
  expect(candidates('d/../up.txt:5..').at(0)).toEqual({ path: 'd/../up.txt:5..', rest: '' });
  expect(candidates('C:/up/../b.txt')).toEqual([
    { path: 'C:/up/../b.txt', rest: '' },
    { path: 'C', rest: '/up/../b.txt' },
  ]);
  expect(candidates('1:/up/../b')).toEqual([{ path: '1', rest: '/up/../b' }]);
});
