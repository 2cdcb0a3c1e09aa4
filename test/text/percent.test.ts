import { expect, test } from 'vitest';
import { fc } from '../support/properties.ts';
import { percentDecode, percentEncode } from '../../src/text/visible.ts';

const utf8 = (part: string): Uint8Array => Buffer.from(part);

test('escapes are decoded, and invalid escapes are kept', () => {
  expect(percentEncode(Buffer.from('a\nß'))).toBe('%61%0A%C3%9F');
  expect(Buffer.from(percentDecode('100%2C5 % %zz %c3%9f', utf8)).toString()).toBe('100,5 % %zz ß');
});

test('any bytes survive a round trip', () => {
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      expect(Uint8Array.from(percentDecode(percentEncode(bytes), utf8))).toEqual(bytes);
    }),
  );
});
