import { expect, test } from 'vitest';
import { fc } from '../../support/properties.ts';
import {
  readParameter,
  readSegment,
  writeParameter,
  writeSegment,
} from '../../../src/formats/sqlite/stored-text.ts';
import { decodeText, encodeText } from '../../../src/text/encoding.ts';

/** Names as they may stand in a database: any bytes but NUL. */
const name = fc.uint8Array({ maxLength: 24 }).map((bytes) => decodeText(bytes.map((byte) => byte || 1)));
const hard = fc.stringMatching(/^[%:?&+="' a-f0-9\n\t#]{0,16}$/);

test('a segment is first read back as it was written', () => {
  fc.assert(
    fc.property(fc.oneof(name, hard), (text) => {
      const written = writeSegment(text);
      expect(written).not.toBe('');
      expect(written).not.toMatch(/[:?\n\r\t\0]/);
      expect(written.trim()).toBe(written);
      expect(readSegment(written)[0]).toBe(text);
    }),
  );
});

test('a parameter is read back as it was written', () => {
  fc.assert(
    fc.property(fc.oneof(name, hard), (text) => {
      const written = writeParameter(text);
      expect(written).not.toMatch(/[&:\s\0]/);
      expect(readParameter('q', written)).toEqual({ text });
    }),
  );
});

test.each([
  ['select 1', 'select 1', false],
  ['select%201', 'select 1', false],
  ['select+1+from+t', 'select 1 from t', false],
  ['select%201%2B1', 'select 1+1', false],
  ["name='100%'", "name='100%'", false],
  ["name = '100%'", "name = '100%'", false],
  ["a like '%25x'", "a like '%25x'", true],
  ["a%20like%20'%25x'", "a like '%x'", false],
  ['a+b>3', 'a+b>3', false],
  ['a=1+and+b=2', 'a=1 and b=2', false],
  ['', '', false],
])('the parameter %s means %s', (typed, text, doubtful) => {
  const note =
    'q has blanks, so its %XX were taken as they are; percent-encode all of it to have them decoded';
  expect(readParameter('q', typed)).toEqual(doubtful ? { text, note } : { text });
});

test('bytes that are not UTF-8 are preserved', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
      expect(encodeText(decodeText(bytes))).toEqual(bytes);
    }),
  );
});
