import { expect, test } from 'vitest';
import { MAX_LISTED_PATHS, pathLists } from '../../src/selector/rewrites.ts';

/** Every list of more than one path, the likelier first. */
const listsIn = (target: string): string[][] => [...pathLists(target)].filter((paths) => paths.length > 1);

test.each<[string, ...string[][]]>([
  ['a.ts,b.ts:5-9', ['a.ts', 'b.ts:5-9']],
  ['a.ts , b.ts', ['a.ts', 'b.ts'], ['a.ts', ',', 'b.ts']],
  // A range belongs to the selector before it, where there is one.
  ['a.ts:1-5,9,b.ts', ['a.ts:1-5,9', 'b.ts']],
  ['a.ts:1-5,b.ts,9', ['a.ts:1-5', 'b.ts', '9']],
  ['a.ts,5,b.ts', ['a.ts', '5', 'b.ts']],
  ['http://x/a,5', ['http://x/a', '5']],
  ['{a,b}.ts', ['{a', 'b}.ts'], ['a.ts', 'b.ts']],
  ['a.ts;b.ts', ['a.ts', 'b.ts']],
  ['a.ts | b.ts', ['a.ts', 'b.ts'], ['a.ts', '|', 'b.ts']],
  ['a.ts\nb.ts', ['a.ts', 'b.ts'], ['a.ts', 'b.ts']],
  ['a.ts  b.ts', ['a.ts', 'b.ts']],
  // A blank behind a backslash is part of a name.
  ['a\\ b.ts c.ts', ['a\\ b.ts', 'c.ts']],
  ['a.ts,,b.ts'],
  ['a.ts,'],
  ['a.ts'],
])('%j', (target, ...wanted) => {
  expect(listsIn(target)).toEqual(wanted);
});

test.each([',', ';', '\n', ' '])('a list with %j has an end', (separator) => {
  const names = (count: number): string[] => Array.from({ length: count }, (_, i) => `${i}.ts`);
  expect(listsIn(names(MAX_LISTED_PATHS).join(separator))[0]).toEqual(names(MAX_LISTED_PATHS));
  for (const paths of listsIn(names(5_000).join(separator)))
    expect(paths.length).toBeLessThanOrEqual(MAX_LISTED_PATHS + 1);
});

test('a list of too many paths returns one too many', () => {
  const names = Array.from({ length: MAX_LISTED_PATHS + 5 }, (_, i) => `${i}.ts:1-5,9`);
  const one = names.slice(0, MAX_LISTED_PATHS + 1);
  expect(listsIn(names.join(','))).toEqual([one]);
  expect(listsIn([...names, ''].join(','))).toEqual([one]);
});

test('braces give one path more than a list may have', () => {
  const braces = (count: number): string => `{${Array.from({ length: count }, (_, i) => i).join(',')}}.ts`;
  const namesOf = (count: number): string[] => Array.from({ length: count }, (_, i) => `${i}.ts`);
  expect(listsIn(braces(MAX_LISTED_PATHS))).toContainEqual(namesOf(MAX_LISTED_PATHS));
  expect(listsIn(braces(MAX_LISTED_PATHS + 1))).toContainEqual(namesOf(MAX_LISTED_PATHS + 1));
  expect(listsIn(braces(256))).toContainEqual(namesOf(MAX_LISTED_PATHS + 1));
  expect(listsIn(braces(257)).filter(([first]) => first === '0.ts')).toEqual([]);
});
