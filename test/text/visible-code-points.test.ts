/**
 * Every code point of Unicode: those without ink are escaped, and all others pass.
 *
 * @module-tag slow
 */

import { describe, expect, test } from 'vitest';
import { makeVisible } from '../../src/text/visible.ts';
import { hasNoInk } from '../support/ink.ts';
import { some } from '../support/properties.ts';

const char = (code: number): string => String.fromCodePoint(code);

function* codePoints(): Generator<number> {
  for (let code = 0; code <= 0x10ffff; code += 1) yield code;
}

/** All of them; tab and newline are what they are. */
const WITHOUT = Array.from(codePoints()).filter((code) => code !== 9 && code !== 10 && hasNoInk(code));

describe('every code point without ink', () => {
  const PLACES: readonly (readonly [string, string | undefined])[] = [
    ['alone', ''],
    ['after a letter', 'a'],
    ['after a digit', '7'],
    ['after a letter with an accent', 'é'],
    ['after itself', undefined],
    ['after a space', ' '],
  ];

  test.each(some(PLACES, 2))('is escaped and counted %s', (_, before) => {
    const passed: string[] = [];
    for (const code of WITHOUT) {
      const { text, escaped } = makeVisible(`${before ?? char(code)}${char(code)}b`);
      if (escaped !== (before === undefined ? 2 : 1) || text.includes(char(code)))
        passed.push(code.toString(16));
    }
    expect(passed).toEqual([]);
  });

  test('is written so that it can be identified', () => {
    const shown = WITHOUT.map((code) => makeVisible(char(code)).text);
    const form = /^(\\x[0-9a-f]{2}|\\u[0-9a-f]{4}|\\u\{[0-9a-f]{5,6}\})$/;
    expect(shown.filter((text) => !form.test(text))).toEqual([]);
    expect(new Set(shown).size).toBe(shown.length);
  });
});

test('every letter, digit, mark, sign and symbol with ink passes', () => {
  const changed: string[] = [];
  const stackers =
    /[\u1039\u17d2\u1a60\u1bab\u2d7f\uaaf6\u{10a3f}\u{1107f}\u{11133}\u{113d0}\u{1193e}\u{11a47}\u{11a99}\u{11d45}\u{11d97}\u{11f42}]/u;
  for (const code of codePoints()) {
    if (hasNoInk(code) || stackers.test(char(code))) continue;
    if (makeVisible(`a${char(code)}b`).escaped > 0) changed.push(code.toString(16));
  }
  expect(changed).toEqual([]);
});
