import { isUtf8 } from 'node:buffer';
import { describe, expect, test } from 'vitest';
import { fc } from '../support/properties.ts';
import { sequenceLength, validSequence } from '../../src/text/encoding.ts';

describe('sequences', () => {
  test.each([
    ['ASCII', [0x41, 0x80], 1, 1],
    ['two bytes', [0xc3, 0xa9, 0x41], 2, 2],
    ['three bytes', [0xe2, 0x82, 0xac], 3, 3],
    ['four bytes', [0xf0, 0x9f, 0x98, 0x80], 4, 4],
    ['a continuation alone', [0x80, 0x80], 0, 1],
    ['an overlong slash', [0xc0, 0xaf], 0, 1],
    ['a surrogate', [0xed, 0xa0, 0x80], 0, 1],
    ['beyond Unicode', [0xf4, 0x90, 0x80, 0x80], 0, 1],
    ['cut after two of three', [0xe2, 0x82], 0, 2],
    ['cut after three of four', [0xf0, 0x9f, 0x98, 0x41], 0, 3],
    ['nothing', [], 0, 1],
  ])('%s', (_, bytes, valid, length) => {
    expect(validSequence(Uint8Array.from(bytes), 0)).toBe(valid);
    expect(sequenceLength(Uint8Array.from(bytes), 0)).toBe(length);
  });

  test('walking by them says what Node says of the whole', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 12 }), (bytes) => {
        let step = 1;
        for (let at = 0; at < bytes.length && step > 0; at += step) step = validSequence(bytes, at);
        expect(step > 0).toBe(isUtf8(bytes));
      }),
    );
  });
});
