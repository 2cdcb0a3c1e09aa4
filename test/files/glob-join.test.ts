import { expect, test } from 'vitest';
import { globAtPath } from '../../src/files/glob-text.ts';

test.each([
  ['*.ts', '*.ts'],
  ['*', '*'],
  ['**/*', '**/*'],
  ['*/src/', '*/src/'],
  ['*/src', '{*/src,*/src/**}'],
  ['lib-*', '{lib-*,lib-*/**}'],
])('the glob for the path %s is %s', (path, glob) => {
  expect(globAtPath(path)).toBe(glob);
});
