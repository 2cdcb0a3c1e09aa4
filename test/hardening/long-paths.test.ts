/**
 * Paths of any length, whatever they are made of, hold the event loop no longer than others.
 *
 * @module-tag slow
 */

import { expect, test } from 'vitest';
import { withoutLag } from '../support/lag.ts';
import { workspace } from '../support/workspace.ts';

const UNITS = [
  '/', './', '../', 'a/', 'a.zip/', ':', ':1', ':1-2', '::', ':/..', '?', '?a', '?a=b&', ',1', '#', ',#a', '#L1', '#L1-',
  '"', '":    ', "'", '`', '\\', '\\ ', '(', '(1,', '(1,    ', ', line 1', ', line 1, in \n', '@', '~', '%', '%41', '%2f',
  ' ', '\t', '\n', '.', '-', '=', 'a', 'A', '1', 'a.b', ' AM', '\u202e', '\u0301', '\u200d', '\u00a0', '\ud800', 'é', '😀',
]; // prettier-ignore

const SHAPES: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => `f.txt${text}`,
  (text) => `f.txt:${text}`,
  (text) => `a.db?q=${text}`,
  (text) => `"${text}x`,
  (text) => `file://${text}`,
  (text) => `https://${text}`,
  (text) => `f.txt:1${text}`,
  (text) => `f.txt:#a${text}`,
  (text) => `.:#${text}`,
  (text) => `f.txt:#a,${text}`,
  (text) => `f.txt:1${text},2`,
  (text) => `f.txt:@${text}`,
  (text) => `${text}x.`,
];

test.each(UNITS)('%j', async (unit) => {
  const { read, write } = workspace();
  write('f.txt', 'text\n');
  for (const shape of SHAPES) {
    const path = shape(unit.repeat(Math.ceil(60_000 / unit.length)));
    const { isError } = await withoutLag(() => read(path));
    expect(typeof isError).toBe('boolean');
  }
});
