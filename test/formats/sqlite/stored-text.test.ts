import { expect, test } from 'vitest';
import { fc } from '../../support/properties.ts';
import { decodeText } from '../../../src/text/encoding.ts';
import { showBytes } from '../../../src/text/visible.ts';

const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values);

test.each([
  ['plain', bytes(0x61, 0x62), 'ab'],
  ['a byte order mark is text', bytes(0xef, 0xbb, 0xbf, 0x61), '\ufeffa'],
  ['a lone continuation', bytes(0x61, 0x80), 'a\\x80'],
  ['an overlong form', bytes(0xc0, 0xaf), '\\xc0\\xaf'],
  ['a surrogate', bytes(0xed, 0xa0, 0x80), '\\xed\\xa0\\x80'],
  ['beyond Unicode', bytes(0xf4, 0x90, 0x80, 0x80), '\\xf4\\x90\\x80\\x80'],
  ['a sequence that ends early', bytes(0xe2, 0x82, 0x61), '\\xe2\\x82a'],
  ['valid beside invalid', bytes(0xff, 0xf0, 0x9f, 0x98, 0x80, 0xff), '\\xff😀\\xff'],
])('%s', (_, stored, shown) => {
  expect(showBytes(decodeText(stored))).toBe(shown);
});

test('truncation drops only the character that it splits', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.nat(), (text, at) => {
      const stored = new TextEncoder().encode(text);
      const cut = decodeText(stored.subarray(0, at % (stored.length + 1)), true);
      expect(text.startsWith(cut)).toBe(true);
      expect((at % (stored.length + 1)) - new TextEncoder().encode(cut).length).toBeLessThan(4);
    }),
  );
});

test('invalid bytes need memory in proportion', () => {
  const noise = new Uint8Array(200_000).fill(0xff);
  expect(decodeText(noise)).toHaveLength(200_000);
});
