import { expect, test } from 'vitest';
import { badRegex, checkPattern } from '../../../src/engine/search/bad-regex.ts';

test('the place of a fault is counted in the pattern as typed', () => {
  const said = 'rg: regex parse error:\n    (?:a(b)\n    ^\nerror: unclosed group\n';
  expect(badRegex(said, 'a(b')).toMatchObject({
    code: 'BAD_REGEX',
    message:
      'a(b is not a valid regular expression: unclosed group at character 1. Escape special characters with a backslash, or search for plain text with literal.',
    next: '{"pattern":"a(b","literal":true}',
  });
  const later = 'rg: regex parse error:\n    (?:ab[)\n         ^\nerror: unclosed character class\n';
  expect(badRegex(later, 'ab[')?.message).toContain('unclosed character class at character 3.');
});

test('what is not about the pattern is left to others', () => {
  expect(badRegex('rg: ./a: Permission denied (os error 13)\n', 'a')).toBeUndefined();
});

test.each([
  ['a\nb', 'The pattern holds a line break at character 2'],
  ['a\0b', 'The pattern holds a NUL character at character 2'],
  ['a'.repeat(10_001), 'The pattern is 10001 characters long'],
])('%j is refused before anything is started', (pattern, sentence) => {
  expect(() => checkPattern(pattern)).toThrow(sentence);
});
