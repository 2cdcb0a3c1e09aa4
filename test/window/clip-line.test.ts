/** Long lines shown by their head. */

import { describe, expect, test } from 'vitest';
import { excerpt } from '../../src/window/excerpt.ts';
import type { Fit } from '../../src/window/fit.ts';
import { follow, inputOf, plainFit, textOf } from '../support/windows.ts';

const clip = (at: number, unit: 'byte' | 'char', over: Partial<Fit['limits']> = {}): Fit =>
  plainFit(over, { longLine: { as: 'clip', at, unit } });
const show = async (content: string | Uint8Array, fit: Fit): Promise<string> =>
  textOf(await excerpt(inputOf(content), undefined, fit));

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
  ])('%s', async (_, content, shown) => {
    expect(await show(content, clip(5, 'byte'))).toBe(shown);
  });
});

test('a single oversized line is shown up to the budget, so that paging can continue', async () => {
  const content = `${'x'.repeat(400)}\n`.repeat(10);
  const pages = await follow(inputOf(content), undefined, clip(500, 'char', { bytes: 64 }));
  expect(pages).toHaveLength(10);
  for (const page of pages) expect(textOf(page)).toMatch(/^x{10,63}\n$/);
});

test('invalid bytes are counted in whole lines only', async () => {
  const content = Buffer.concat([Buffer.from('a'), Buffer.of(0xff), Buffer.from(`\n${'x'.repeat(9)}`)]);
  expect((await excerpt(inputOf(content), undefined, clip(5, 'char'))).invalid).toBe(1);
});
