import { expect, test } from 'vitest';
import { withoutTrailingSlashes } from '../../src/text/visible.ts';

test.each([
  ['http://host/a//', 'http://host/a'],
  ['/a/b', '/a/b'],
  ['a/', 'a'],
  ['///', ''],
  ['', ''],
])('%j: %j', (text, without) => {
  expect(withoutTrailingSlashes(text)).toBe(without);
});
