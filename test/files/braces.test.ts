import { expect, test } from 'vitest';
import { expandBraces } from '../../src/files/glob-text.ts';

test.each([
  ['a', ['a']],
  ['', ['']],
  ['{a,b}', ['a', 'b']],
  ['x{a,b}y{c,d}', ['xayc', 'xayd', 'xbyc', 'xbyd']],
  ['{a,{b,c}}', ['a', 'b', 'c']],
  ['{a,}', ['a', '']],
  ['{a}', ['{a}']],
  ['{a', ['{a']],
  ['a}', ['a}']],
  ['{a,b', ['{a,b']],
  ['{1..100000000}', ['{1..100000000}']],
  [String.raw`\{a,b}`, [String.raw`\{a,b}`]],
  [String.raw`{a\,b,c}`, [String.raw`a\,b`, 'c']],
])('%s', (pattern, expanded) => {
  expect(expandBraces(pattern, 100)).toEqual(expanded);
});

test.each([
  ['*.{a}', ['*.a', '*.{a}']],
  ['{{a}}', ['a', '{a}', '{{a}}']],
  ['{!a}', ['!a']],
  ['{}', ['{}']],
  ['{1..9}', ['{1..9}']],
  ['{a,b}{c}', ['ac', 'a{c}', 'bc', 'b{c}']],
  // Too many for 100 patterns, so they are names.
  ['{a}'.repeat(7), ['{a}'.repeat(7)]],
])('with single alternatives: %s', (pattern, expanded) => {
  expect(expandBraces(pattern, 100, { singles: true })).toEqual(expanded);
});

test('does not overflow the stack', () => {
  for (const singles of [false, true]) {
    expect(expandBraces('{'.repeat(30_000) + '}'.repeat(30_000), 256, { singles })).toBeUndefined();
    expect(expandBraces('{a,'.repeat(10_000) + '}'.repeat(10_000), 256, { singles })).toBeUndefined();
    expect(expandBraces('{'.repeat(400) + 'a' + '}'.repeat(400), 256, { singles })).toHaveLength(1);
  }
});

test('gives up at its limit instead of growing', () => {
  expect(expandBraces('{a,b}'.repeat(8), 256)).toHaveLength(256);
  expect(expandBraces('{a,b}'.repeat(9), 256)).toBeUndefined();
  expect(expandBraces('{a,b}'.repeat(200), 256)).toBeUndefined();
  expect(expandBraces(`${'{a,'.repeat(300)}b${'}'.repeat(300)}`, 256)).toBeUndefined();
});
