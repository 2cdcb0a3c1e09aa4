/** Long lines shown by their head. */

import { describe, expect, test } from 'vitest';
import { cutWindow } from '../../src/text/excerpt.ts';
import type { AnswerFit } from '../../src/text/limits.ts';
import { follow, inputOf, plainFit, textOf } from '../support/windows.ts';

const clip = (at: number, unit: 'byte' | 'char', over: Partial<AnswerFit['limits']> = {}): AnswerFit =>
  plainFit(over, { longLine: { kind: 'clip', at, unit } });
const show = async (content: string | Uint8Array, fit: AnswerFit): Promise<string> =>
  textOf(await cutWindow(inputOf(content), undefined, fit));

describe('characters', () => {
  test.each([
    ['exactly the limit stays', `${'x'.repeat(5)}\n`, 'xxxxx\n'],
    ['one more is cut, the terminator stays', `${'x'.repeat(6)}\nb\n`, 'xxxxx\nb\n'],
    ['CRLF stays', `${'x'.repeat(6)}\r\nb\r\n`, 'xxxxx\r\nb\r\n'],
    ['CRLF behind what is held stays', `${'x'.repeat(600)}\r\nb`, 'xxxxx\r\nb'],
    ['a last line has none', 'x'.repeat(600), 'xxxxx'],
    ['code points, not units', '👩👩👩👩👩👩\n', '👩👩👩👩👩\n'],
    ['code points, not bytes', 'ééééé\n', 'ééééé\n'],
  ])('%s', async (_, content, shown) => {
    expect(await show(content, clip(5, 'char'))).toBe(shown);
  });

  test('UTF-16 too', async () => {
    const content = Buffer.from(`\ufeff${'é'.repeat(100)}\r\nb\n`, 'utf16le');
    expect(await show(content, clip(5, 'char'))).toBe('ééééé\r\nb\n');
  });
});

describe('bytes', () => {
  test.each([
    ['exactly the limit stays', 'ééx\n', 'ééx\n'],
    ['a character that would pass the limit is left out', 'xéxé\n', 'xéx\n'],
    ['cut at the character before', 'éxéé\n', 'éxé\n'],
    ['cut below the limit', 'xxxxé\n', 'xxxx\n'],
    ['an escape counts as it is shown', 'x\x1bxx\n', 'x\x1b\n'],
    ['an escape that exceeds the limit is left out', 'xx\x1bx\n', 'xx\n'],
    ['an escape at the limit stays', 'x\x1b\n', 'x\x1b\n'],
  ])('%s', async (_, content, shown) => {
    expect(await show(content, clip(5, 'byte'))).toBe(shown);
  });
});

test('a single oversized line is shown up to the budget', async () => {
  const content = `${'x'.repeat(400)}\n`.repeat(10);
  const pages = await follow(inputOf(content), undefined, clip(500, 'char', { bytes: 64 }));
  expect(pages).toHaveLength(10);
  for (const page of pages) expect(textOf(page)).toMatch(/^x{10,63}\n$/);
});

test('invalid bytes are counted in whole lines only', async () => {
  const content = Buffer.concat([Buffer.from('a'), Buffer.of(0xff), Buffer.from(`\n${'x'.repeat(9)}`)]);
  expect((await cutWindow(inputOf(content), undefined, clip(5, 'char'))).invalid).toBe(1);
});

test('a clipped line has the offsets of the whole line', async () => {
  const content = `${'x'.repeat(200_000)}\r\né\n${'y'.repeat(5000)}\n${'z'.repeat(5000)}`;
  for (const counted of [true, false]) {
    const { parts, invalid } = await cutWindow(inputOf(content, counted), undefined, clip(5, 'char'));
    expect([parts, invalid]).toStrictEqual([
      [
        [
          { no: 1, start: 0, end: 200_002, text: 'xxxxx\r\n', role: 'asked', cut: 'clip' },
          { no: 2, start: 200_002, end: 200_005, text: 'é\n', role: 'asked' },
          { no: 3, start: 200_005, end: 205_006, text: 'yyyyy\n', role: 'asked', cut: 'clip' },
          { no: 4, start: 205_006, end: 210_006, text: 'zzzzz', role: 'asked', cut: 'clip' },
        ],
      ],
      0,
    ]);
  }
});

test('a return inside a line is not its end', async () => {
  expect(await show('ab\rcdefgh\n', clip(4, 'char'))).toBe('ab\rc\n');
  expect(await show(`${'x'.repeat(600)}\ry\n`, clip(5, 'char'))).toBe('xxxxx\n');
});
