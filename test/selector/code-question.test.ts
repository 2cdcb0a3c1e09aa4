import { describe, expect, test } from 'vitest';
import { endsInCodeQuestion, parseCodeQuestion } from '../../src/selector/selection.ts';

describe('what is asked of a directory', () => {
  test.each([
    ['outline', { kind: 'map', from: 0, query: '' }],
    ['OUTLINE', { kind: 'map', from: 0, query: '' }],
    ['outline?from=121', { kind: 'map', from: 120, query: '' }],
    ['outline?from=1', { kind: 'map', from: 0, query: '' }],
    ['outline?from=999999999', { kind: 'map', from: 999_999_998, query: '' }],
    ['outline?bytes=32K', { kind: 'map', bytes: 32_768, from: 0, query: '' }],
    ['outline?bytes=2m', { kind: 'map', bytes: 2 << 20, from: 0, query: '' }],
    ['outline?bytes=700', { kind: 'map', bytes: 700, from: 0, query: '' }],
    ['outline?q=a+b&from=2', { kind: 'map', from: 1, query: 'a b' }],
    [`outline?q=${'q'.repeat(200)}`, { kind: 'map', from: 0, query: 'q'.repeat(200) }],
    ['#name?from=31', { kind: 'definitions', names: ['name'], from: 30 }],
    ['#name', { kind: 'definitions', names: ['name'], from: 0 }],
    ['#a, #b,c', { kind: 'definitions', names: ['a', 'b', 'c'], from: 0 }],
    ['#a,,#', { kind: 'definitions', names: ['a'], from: 0 }],
    ['#name:refs', { kind: 'uses', name: 'name', from: 0 }],
    ['#name:REFS?from=11', { kind: 'uses', name: 'name', from: 10 }],
  ])('%s', (rest, asked) => {
    expect(parseCodeQuestion('src', rest, 'directory')).toEqual(asked);
  });

  test('as many names as a list holds, and one more', () => {
    const names = (count: number): string => Array.from({ length: count }, (_, i) => `#n${i}`).join(',');
    expect(parseCodeQuestion('src', names(20), 'directory')).toMatchObject({ kind: 'definitions' });
    expect(() => parseCodeQuestion('src', names(21), 'directory')).toThrow(
      expect.objectContaining({
        code: 'BAD_SELECTOR',
        message: 'A list holds at most 20 names. Use fewer.',
        next: `src:${names(20)}`,
      }),
    );
  });

  test.each(['', 'raw', '5-9', '#', 'x#name', 'outlines', 'xoutline', 'x:outline', 'refs2', 'xrefs/'])(
    '%j is nothing of the kind',
    (rest) => {
      expect(parseCodeQuestion('src', rest, 'directory')).toBeUndefined();
    },
  );
});

describe('what is asked of a file', () => {
  test.each([
    ['refs', { kind: 'importers', from: 0 }],
    ['Refs?from=5', { kind: 'importers', from: 4 }],
    ['#a.b:refs', { kind: 'uses', name: 'a.b', from: 0 }],
    // The views of a file answer these.
    ['outline', undefined],
    ['#name', undefined],
    ['refs2', undefined],
    ['#a:refs2', undefined],
    ['xrefs', undefined],
  ])('%s', (rest, asked) => {
    expect(parseCodeQuestion('a.ts', rest, 'file')).toEqual(asked);
  });
});

describe('what is wrong', () => {
  test.each([
    ['refs', ':refs is for a file or a name. Use src:outline, or src:#name:refs.', 'src:outline'],
    ['outline?bytes=0', '?bytes=0 is not a valid size. Use src:outline?bytes=32K.', 'src:outline?bytes=32K'],
    [
      'outline?bytes=5G',
      '?bytes=5G is not a valid size. Use src:outline?bytes=32K.',
      'src:outline?bytes=32K',
    ],
    [
      'outline?bytes=x5',
      '?bytes=x5 is not a valid size. Use src:outline?bytes=32K.',
      'src:outline?bytes=32K',
    ],
    [
      `outline?q=${'q'.repeat(201)}`,
      '?q= has at most 200 characters. Use src:outline with a few words.',
      'src:outline',
    ],
    [
      'outline?size=5',
      'src takes no ?size=. Use src:outline with ?bytes= or ?from= or ?q=, or without.',
      'src:outline',
    ],
    ['outline?from=2&from=3', '?from= is given twice. Use src:outline with one of them.', 'src:outline'],
    ['outline?q=a&from=2&q=a', '?q= is given twice. Use src:outline with one of them.', 'src:outline'],
    ['#name?from=2&from=2', '?from= is given twice. Use src:#name with one of them.', 'src:#name'],
    ['#a,#b?from=2', 'A list of names takes no ?from=. Use src:#a,#b.', 'src:#a,#b'],
    [
      'outline:5-9',
      'The outline of a directory takes no selector such as :5-9. Use src:outline, or src:outline?from=N for a later part.',
      'src:outline',
    ],
    ['#name:refs?q=x', 'src takes no ?q=. Use src:#name:refs with ?from=, or without.', 'src:#name:refs'],
  ])('%s', (rest, message, next) => {
    expect(() => parseCodeQuestion('src', rest, 'directory')).toThrow(
      expect.objectContaining({ code: 'BAD_SELECTOR', message, next }),
    );
  });
});

describe.each(['0', '1.5', 'x', '', '-1', '1234567890', '99999999999999999999'])('?from=%s', (from) => {
  test.each([
    ['src:outline', 'outline', 'directory'],
    ['src:#name', '#name', 'directory'],
    ['src:#name:refs', '#name:refs', 'directory'],
    ['src:refs', 'refs', 'file'],
  ] as const)('of %s is refused', (next, words, of) => {
    const message = `?from=${from} is not a whole number from 1 to 999999999. Use ${next}.`;
    expect(() => parseCodeQuestion('src', `${words}?from=${from}`, of)).toThrow(
      expect.objectContaining({ code: 'BAD_SELECTOR', message, next }),
    );
  });
});

test.each([
  ['outline', true],
  ['package:outline', true],
  ['package:outline?from=2', true],
  ['#name', true],
  ['lib/a.js:#name', true],
  ['lib/a.js:refs', true],
  ['REFS?from=2', true],
  ['#', false],
  ['', false],
  ['outlines', false],
  ['lib/outline', false],
  ['lib/a.js:refs2', false],
  ['lib#name', false],
])('%j ends in a question about code: %s', (rest, is) => {
  expect(endsInCodeQuestion(rest)).toBe(is);
});
