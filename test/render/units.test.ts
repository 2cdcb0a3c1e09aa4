import { expect, test } from 'vitest';
import { age, binarySize, decimalSize, plural } from '../../src/render/units.ts';

test.each([
  [0, '0 B'],
  [1023, '1023 B'],
  [1024, '1 KiB'],
  [1536, '1.5 KiB'],
  [51_200, '50 KiB'],
  [102_912, '101 KiB'],
  [2 ** 30 * 1.25, '1.3 GiB'],
  [2 ** 60, '1024 PiB'],
])('%d bytes are %s', (bytes, text) => expect(binarySize(bytes)).toBe(text));

test.each([
  [999, '999B'],
  [1000, '1KB'],
  [30_499, '30KB'],
  [30_500, '31KB'],
])('%d bytes are %s in units of 1,000', (bytes, text) => expect(decimalSize(bytes)).toBe(text));

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
test.each([
  [0, 'now'],
  [MINUTE - 1, 'now'],
  [MINUTE, '1m'],
  [59 * MINUTE, '59m'],
  [60 * MINUTE, '1h'],
  [DAY - 1, '23h'],
  [DAY, '1d'],
  [13 * DAY, '13d'],
  [14 * DAY, '2w'],
  [729 * DAY, '104w'],
  [730 * DAY, '2y'],
])('%d ms ago is %s', (ms, text) => expect(age(ms)).toBe(text));

test('one is one', () => {
  expect([plural(0, 'line'), plural(1, 'line'), plural(2, 'line')]).toEqual(['0 lines', '1 line', '2 lines']);
});
