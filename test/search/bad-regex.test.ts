import { spawnSync } from 'node:child_process';
import { rgPath } from '@vscode/ripgrep';
import { expect, test } from 'vitest';
import { badRegex, checkPattern } from '../../src/search/pattern.ts';

test('an error’s position is counted in the pattern as typed', () => {
  const said = 'rg: regex parse error:\n    (?:a(b)\n    ^\nerror: unclosed group\n';
  expect(badRegex(said, 'a(b')).toMatchObject({
    code: 'BAD_REGEX',
    message:
      'a(b is not a valid regular expression: unclosed group at character 2. Escape special characters with a backslash, or search for plain text with literal=true.',
    next: '{"pattern":"a(b","literal":true}',
  });
  // No line has its line break.
  expect(badRegex(said, 'a(b\r')?.next).toBeUndefined();
  const later = 'rg: regex parse error:\n    (?:ab[)\n         ^\nerror: unclosed character class\n';
  expect(badRegex(later, 'ab[')?.message).toContain('unclosed character class at character 3.');
});

test.each([
  ['foo(', 'unclosed group at character 4.'],
  ['a(b(c', 'unclosed group at character 4.'],
  ['(a)b(c', 'unclosed group at character 5.'],
  ['[(]\\((', 'unclosed group at character 6.'],
  ['[]()](', 'unclosed group at character 6.'],
  ['[[:alpha:](](', 'unclosed group at character 13.'],
  ['foo)', 'unopened group at character 4.'],
  ['a[b', 'unclosed character class at character 2.'],
  ['*a', 'repetition operator missing expression at character 1.'],
  ['ab{3,1}', 'invalid repetition count range, the start must be <= the end at character 3.'],
])('ripgrep’s error for %s has its position as typed', (pattern, told) => {
  const { stderr } = spawnSync(rgPath, ['-e', pattern, '-'], { input: '', encoding: 'utf8' });
  expect(badRegex(stderr, pattern)?.message).toContain(told);
});

test.each([
  ['a\nb', undefined],
  [String.raw`(?i)a(?P<b>\w+)` + '\nb', undefined],
  ['{\n  return a.b();', true],
  ['a(\nb', true],
  ['[a\n', true],
  ['one\n' + String.raw`C:\xt.*`, true],
])('%j over lines is advised as it can be searched', (pattern, literal) => {
  const next = JSON.stringify({ pattern, multiline: true, literal });
  expect(() => checkPattern(pattern, false)).toThrow(expect.objectContaining({ next }) as Error);
});

test('errors that are not about the pattern are not handled', () => {
  expect(badRegex('rg: ./a: Permission denied (os error 13)\n', 'a')).toBeUndefined();
});

test.each([
  ['a\nb', 'The pattern holds a line break at character 2'],
  ['a\0b', 'The pattern holds a NUL character at character 2'],
  ['a'.repeat(10_001), 'The pattern is 10001 characters long'],
])('%j is refused before a process is started', (pattern, sentence) => {
  expect(() => checkPattern(pattern)).toThrow(sentence);
});
