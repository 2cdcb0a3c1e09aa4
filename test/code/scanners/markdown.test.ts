import { expect, test } from 'vitest';
import { scanMarkdown } from '../../../src/code/scanners/text.ts';
import { scan } from '../../support/scan.ts';

test('a section ends before the next heading, without blank lines', () => {
  expect(scan(scanMarkdown, '# A\n\n## B\ntext\n\n\n## C\n# D\n')).toEqual([
    '1-7 A',
    '3-4 B',
    '7-7 C',
    '8-8 D',
  ]);
});

test('fences, also unclosed and longer ones, hold no headings', () => {
  expect(scan(scanMarkdown, '````\n# a\n```\n# b\n````\n# C\n~~~\n# d\n')).toEqual(['6-8 C']);
});

test('a code span in three backticks is no fence', () => {
  expect(scan(scanMarkdown, '```a```\n# B ## #\n~~~ `x`\n# no\n~~~\n')).toEqual(['2-5 B ##']);
});

test('comments and HTML of plain text hold no headings', () => {
  expect(scan(scanMarkdown, '<!-- a -->\n# B\n<!--\n# no\n-->\n<pre>\n\n# no\n</pre>\n# C\n')).toEqual([
    '2-9 B',
    '10-10 C',
  ]);
});

test('a heading at the start of an item of a list is one', () => {
  expect(scan(scanMarkdown, '1. # A\n   text\n- ## B\n-# no\n')).toEqual(['1-4 A', '3-4 B']);
});

test('underlined headings need a paragraph above them', () => {
  expect(scan(scanMarkdown, 'A\n===\n\n---\n- item\n---\n| a |\n---\nB\n---\n')).toEqual([
    '1-10 A',
    '9-10 B',
  ]);
});

test('what only looks like a heading is none', () => {
  expect(scan(scanMarkdown, '#no\n    # code\n####### seven\n\\# escaped\n')).toEqual([]);
});

test('a YAML header is skipped, unless it never ends', () => {
  expect(scan(scanMarkdown, '---\n# no: 1\n---\n# A ##\n')).toEqual(['4-4 A']);
  expect(scan(scanMarkdown, '---\n# A\n')).toEqual(['2-2 A']);
});
