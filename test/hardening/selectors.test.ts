import { describe, expect, test } from 'vitest';
import { codeOf, nextOf, textOf, workspace } from '../support/workspace.ts';

const nine = Array.from({ length: 9 }, (_, i) => `${i + 1}\n`).join('');

test('S03 A > B', async () => {
  const { write, read } = workspace();
  write('f', nine);
  const answer = await read('f:7-2');
  expect(codeOf(answer)).toBe('BAD_SELECTOR');
  expect(textOf(answer)).toBe('The selector :7-2 is invalid: the range ends before it starts. Use f:2-7.');
  expect(answer.details['error']).toMatchObject({ next: 'f:2-7' });
});

test.each([
  ['f:9007199254740993', 'Line 9007199254740993 is beyond the end of f (9 lines)'],
  ['f:99999999999999999999', 'Line 99999999999999999999 is beyond the end of f (9 lines)'],
  ['f:99999999999999999999..99999999999999999999', 'Line 99999999999999999999 is beyond'],
  ['f:@9007199254740993+4', 'Byte 9007199254740993 is beyond the end of f (18 bytes)'],
  ['f:@0+18446744073709551616', 'the length of a byte window is 1 byte to 256K'],
  ['f:1-1e9', ':1-1e9 is not a selector of f'],
  ['f:outlin', 'Did you mean f:outline?'],
])('S04 huge and overflowing integers: %s', async (path, said) => {
  const { write, read } = workspace();
  write('f', nine);
  const answer = await read(path);
  expect(['OUT_OF_RANGE', 'BAD_SELECTOR']).toContain(codeOf(answer));
  expect(textOf(answer)).toContain(said);
});

test.each([
  'NaN',
  'Infinity',
  '1.5',
  '0x5',
  '５',
  '1-５',
  '-',
  '..',
  '1..2..3',
  '+5',
  '@',
  '@-1',
  '-0',
  'raw:raw',
  'raw:1:2',
])('S05 not a number: %s', async (selector) => {
  const { write, read } = workspace();
  write('f', nine);
  expect(codeOf(await read(`f:${selector}`))).toBe('BAD_SELECTOR');
});

test('S07 overlapping and unordered ranges give each line once', async () => {
  const { write, text } = workspace();
  write('f', Array.from({ length: 30 }, (_, i) => `${i + 1}\n`).join(''));
  expect(await text('f:20..21,3..5,4..6,1..1')).toBe('1|1\n…\n3|3\n4|4\n5|5\n6|6\n…\n20|20\n21|21\n');
  expect(await text('f:3-5,4-6,1')).toBe(
    '1|1\n2|2\n…\n3|3\n4|4\n5|5\n6|6\n7|7\n8|8\n9|9\n'.replace('…\n', ''),
  );
});

test('S08 range past end', async () => {
  const { write, text } = workspace();
  write('f', nine);
  expect(await text('f:5..999')).toBe('5|5\n6|6\n7|7\n8|8\n9|9\n[f ends at line 9]');
});

test('S12 limit × width over budget', async () => {
  const { write, read } = workspace();
  const lines = Array.from({ length: 5000 }, (_, i) => `${String(i).padEnd(1999, 'x')}\n`);
  write('f', lines.join(''));
  const first = await read('f:1-5000');
  expect(Buffer.byteLength(textOf(first))).toBeLessThan(53_000);
  expect(nextOf(first)).toBe('f:26..5000');
  const second = await read(nextOf(first) ?? '');
  expect(textOf(second).startsWith(`26|${lines[25]}`)).toBe(true);
});

describe('forms', () => {
  const text = Array.from({ length: 20 }, (_, i) => `l${i + 1}\n`).join('');
  const lines = (from: number, to: number): string =>
    Array.from({ length: to - from + 1 }, (_, i) => `${from + i}|l${from + i}\n`).join('');
  test.each([
    [':5', lines(4, 20)],
    [':L5', lines(4, 20)],
    [':5-', lines(4, 20)],
    [':5..', lines(5, 20)],
    [':5-6', lines(4, 9)],
    [':L5-L6', lines(4, 9)],
    [':5..6', lines(5, 6)],
    [':5+2', lines(4, 9)],
    [':L5+2', lines(4, 9)],
    [':-2', lines(19, 20)],
    [':-99', lines(1, 20)],
    [':2..3,10..10', `${lines(2, 3)}…\n${lines(10, 10)}`],
    [':2,10', `${lines(1, 5)}…\n${lines(9, 13)}`],
    [':19-', lines(18, 20)],
    [':5-6:raw', 'l5\nl6\n'],
    [':raw:5-6', 'l5\nl6\n'],
    [':raw', text],
    [':@0', lines(1, 20)],
    [':@4+1', '2|l2\n[Showing bytes 3-6 of 71 (lines 2-2). Use f:@6+1 to continue]'],
    [':@6+1K', lines(3, 20)],
    ['', lines(1, 20)],
  ])('f%s', async (selector, expected) => {
    const { write, text: textOfRead } = workspace();
    write('f', text);
    expect(await textOfRead(`f${selector}`)).toBe(expected);
  });
});
