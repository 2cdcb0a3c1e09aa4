import { expect, test } from 'vitest';
import {
  age,
  binarySize,
  bounded,
  decimalSize,
  limitSize,
  pageRange,
  plural,
  span,
} from '../../src/render/display.ts';

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

test('a count of one is singular', () => {
  expect([plural(0, 'line'), plural(1, 'line'), plural(2, 'line')]).toStrictEqual([
    '0 lines',
    '1 line',
    '2 lines',
  ]);
});

test('a single span is one number; parts say how many', () => {
  expect([span(3, 3), span(3, 4)]).toStrictEqual(['3', '3-4']);
  expect([
    pageRange(0, 1, 1, 'file'),
    pageRange(0, 3, 3, 'file'),
    pageRange(0, 2, 9, 'file'),
    pageRange(2, 4, 9, 'file'),
    pageRange(8, 9, 9, 'file'),
    pageRange(1, 9, 9, 'sub file'),
  ]).toStrictEqual([
    '1 file',
    '3 files',
    'Files 1-2 of 9',
    'Files 3-4 of 9',
    'File 9 of 9',
    'Sub files 2-9 of 9',
  ]);
});

test('a sentence over 1,022 bytes shows only its two ends', () => {
  const most = `${'é'.repeat(500)}${'x'.repeat(22)}`;
  expect(bounded(most)).toBe(most);
  const longer = `<${'y'.repeat(2_000)}>`;
  const left = 2_002 - 2 * 490;
  expect(bounded(longer)).toBe(`<${'y'.repeat(489)}…[${left} characters left out]…${'y'.repeat(489)}>`);
});

test('a short sentence stays with much text before its call', () => {
  const short = `${'x'.repeat(900)}. Use a.ts`;
  expect(bounded(short, ['a.ts'])).toBe(short);
});

test('a call inside another call takes no room from text', () => {
  const text = `${'x'.repeat(2_000)} b/a ${'y'.repeat(100)}`;
  expect(bounded(text, ['b/a', 'a'])).toBe(bounded(text, ['b/a']));
});

test('a replacement character of the text stays in its excerpt', () => {
  const longer = `<\ufffd${'y'.repeat(2_000)}\ufffd>`;
  expect(bounded(longer)).toMatch(/^<\ufffdy+…\[\d+ characters left out\]…y+\ufffd>$/);
});

test('a character that would be cut is left out', () => {
  for (const shift of [0, 1, 2, 3]) {
    const said = bounded(`${'x'.repeat(shift)}${'\u{1f600}'.repeat(600)}${'x'.repeat(shift)}`);
    expect(said).not.toContain('\ufffd');
    expect(Buffer.byteLength(said)).toBeLessThanOrEqual(1_022);
    expect(Buffer.byteLength(said)).toBeGreaterThan(1_000);
  }
});

test('whole calls take up to 4 KiB, text the rest', () => {
  const [first, second, third] = ['a', 'b', 'c'].map((letter) => `${letter}${'/p'.repeat(900)}`) as [
    string,
    string,
    string,
  ];
  const text = `${'Because. '.repeat(60)}Use ${first} or ${second} or ${third}${' and so on'.repeat(60)}`;
  const said = bounded(text, [first, undefined, 'not in it', second, third]);
  expect([said.includes(first), said.includes(second), said.includes(third)]).toStrictEqual([
    true,
    true,
    false,
  ]);
  expect(said.startsWith('Because. Because. ')).toBe(true);
  expect(said.endsWith(' and so on')).toBe(true);
  expect(Buffer.byteLength(said.replace(first, '').replace(second, ''))).toBeLessThanOrEqual(1_022);
  // A call of just as much as there is room for.
  const whole = 'w'.repeat(4_096);
  expect(bounded(`Use ${whole}`, [whole])).toBe(`Use ${whole}`);
  expect(bounded(`Use ${whole}w`, [`${whole}w`])).toMatch(/^Use w+…\[\d+ characters left out\]…w+$/);
});

test('a limit of characters is named in characters', () => {
  expect(limitSize(18_400, { unit: 'characters' })).toBe('18400 character');
  expect(limitSize(18_432, { unit: 'bytes' })).toBe('18 KiB');
});
