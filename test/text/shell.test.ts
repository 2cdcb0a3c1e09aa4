/** A path in a command, as a real shell reads it. */

import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { fc } from '../support/properties.ts';
import { shellArgument, shellWord } from '../../src/text/visible.ts';

const asRead = (words: readonly string[]): string[] =>
  execFileSync('bash', ['-c', `printf '%s\\0' ${words.map(shellWord).join(' ')}`], { encoding: 'utf8' })
    .split('\0')
    .slice(0, -1);

const paths = fc
  .string({
    unit: fc.constantFrom(...`ab/.-~$'"\\\`!*?[]{}()<>|&;# =%\n\t\r\x1b\x7fé線👩`),
    minLength: 1,
    maxLength: 20,
  })
  .filter((path) => path !== '');

test('bash reads what was written', { tags: 'slow' }, () => {
  fc.assert(
    fc.property(fc.array(paths, { minLength: 20, maxLength: 40 }), (words) => {
      expect(asRead(words)).toEqual(words.map((word) => (word.startsWith('-') ? `./${word}` : word)));
    }),
    { numRuns: 50 },
  );
});

test('a tilde where a shell reads a home directory', () => {
  const words = ['~', '~/x', 'a=~', 'a=~-', 'a:~/x', 'a~b', 'x=a~'];
  expect(asRead(words)).toEqual(words);
});

test('a command stays on one line', () => {
  fc.assert(
    fc.property(paths, (path) => {
      expect(shellWord(path)).not.toMatch(/[\0-\x1f\x7f]/);
    }),
  );
});

test('ordinary paths stay as they are', () => {
  for (const path of ['src/app.ts', '/tmp/a-b_c.log', 'a@b', '../x', 'C:/x', 'a~b'])
    expect(shellWord(path)).toBe(path);
});

test.each([
  ['a b', "'a b'"],
  ["a'b", "'a'\\''b'"],
  ["a\n'\\\x7f", "$'a\\x0a\\'\\\\\\x7f'"],
  ['', "''"],
  ['-n', './-n'],
  ['~', "'~'"],
  ['a;b', "'a;b'"],
  [';a', "';a'"],
])('%j is written %s', (path, written) => {
  expect(shellWord(path)).toBe(written);
});

test('an argument may be an option', () => {
  expect(shellArgument('-n')).toBe("'-n'");
  expect(shellArgument('a')).toBe('a');
});
