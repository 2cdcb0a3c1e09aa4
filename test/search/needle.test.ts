import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { ripgrepPath } from '../../src/process/ripgrep.ts';
import { needleOf } from '../../src/search/pattern.ts';
import { isLongRun, seedOfRun } from '../support/properties.ts';

test.each([
  ['plain words', 'plain words'],
  ['größe', 'größe'],
  ['a-b_c#d&e~f', 'a-b_c#d&e~f'],
  ['ab*cde', 'cde'],
  ['abc?', 'ab'],
  ['abcd+ef', 'abcd'],
  ['abcd+?ef', 'abc'],
  ['abc+*', 'ab'],
  ['abc+?*', 'ab'],
  ['abc++*', 'ab'],
  ['abc*?d', 'ab'],
  ['x😀?yz', 'yz'],
  ['^import .* from', 'import '],
  ['\\bname\\(', 'name('],
  ['a\\.b\\\\c', 'a.b\\c'],
  ['1\\d22', '22'],
  ['\\<ab\\>c', 'ab'],
  ['function (one|two)\\(', 'function '],
  ['a(b(?:c)d)?efg', 'efg'],
  ['(a\\)bcd)e', 'e'],
  ['[a-z_]+name', 'name'],
  ['ab[^"]*?c', 'ab'],
])('each match of %s contains %s', (pattern, needle) => {
  expect(needleOf(pattern, {})).toBe(needle);
});

test.each([
  'a|b',
  '(ab)?',
  'ab(?i)cd',
  'ab(?x: c)d',
  'abc([(]d)',
  'abc(d',
  'abc)d',
  'abc[]d]',
  'abc[^]d]',
  'abc[[:alpha:]]',
  'ab{0}',
  '\\x41',
  '\\pL',
  'a\\',
  '.*',
  'a?',
  '',
  '\\t',
  'a\tb',
  '(?i)ab',
  '\ud800',
])('%j has no required literal', (pattern) => {
  expect(needleOf(pattern, {})).toBeUndefined();
});

test('literal makes the whole pattern the needle, ignoreCase gives none', () => {
  expect(needleOf('a|b*', { literal: true })).toBe('a|b*');
  expect(needleOf('ab', { ignoreCase: true })).toBeUndefined();
});

test('lines found by ripgrep contain the needle of random patterns', { tags: 'slow' }, () => {
  const parts = [
    'a',
    'b',
    'ab',
    'é',
    '.',
    '*',
    '?',
    '+',
    '^',
    '$',
    '\\.',
    '\\w',
    '\\b',
    '\\*',
    '\\<',
    '(',
    ')',
    '(?:',
    '|',
    '[ab]',
    '[^a]',
    '\\>',
    '-',
    '#',
    '*?',
    '+?',
  ];
  let seed = 4242 + seedOfRun;
  const random = (below: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((seed / 2_147_483_648) * below);
  };
  const made = (words: readonly string[], most: number): string =>
    Array.from({ length: 1 + random(most) }, () => words[random(words.length)]).join('');
  const text = Array.from({ length: 1_000 }, () => made(['a', 'b', 'é', '.', '*', '-', '#'], 8)).join('\n');
  let checked = 0;
  for (let i = 0; i < (isLongRun ? 2_000 : 100); i += 1) {
    const pattern = made(parts, 6);
    const needle = needleOf(pattern, {});
    if (needle === undefined) continue;
    const args = ['--no-config', '--text', '--crlf', '--case-sensitive', `--regexp=${pattern}`, '-'];
    const { stdout } = spawnSync(ripgrepPath(), args, { input: text, encoding: 'utf8' });
    const lines = stdout.split('\n').slice(0, -1);
    expect({ pattern, without: lines.filter((line) => !line.includes(needle)) }).toEqual({
      pattern,
      without: [],
    });
    checked += lines.length;
  }
  expect(checked).toBeGreaterThan(0);
});
