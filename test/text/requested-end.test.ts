import { expect, test } from 'vitest';
import { place, wideLines } from '../support/dialect.ts';

const LIMITS = { window: 500, windowMax: 500 };

/** 100 lines of 20 bytes: 2,000 bytes. */
const text = wideLines(100, 20);

interface Page {
  readonly path: string;
  readonly text: string;
}

async function follow(content: string, selector: string): Promise<Page[]> {
  const { call, write } = place('oriel', { limits: LIMITS });
  write('a.log', content);
  const pages: Page[] = [];
  for (let path: string | undefined = `a.log:${selector}`; path !== undefined;) {
    const { text: shown, details } = await call('read', { path });
    const { next } = (details['truncation'] ?? {}) as { next?: string };
    // The notice names the same call.
    expect(/ Use (\S+) to continue\]$/.exec(shown)?.[1]).toBe(next);
    pages.push({ path, text: shown.replace(/\[[^[]*\]$/, '') });
    path = next;
  }
  return pages;
}

test('the next calls request the rest of an overlong length', async () => {
  const pages = await follow(text, '@0+1200:raw');
  expect(pages.slice(0, 3).map(({ path }) => path)).toEqual([
    'a.log:@0+1200:raw',
    'a.log:@500+700:raw',
    'a.log:@1000+200:raw',
  ]);
  expect(
    pages
      .slice(0, 3)
      .map((page) => page.text)
      .join(''),
  ).toBe(text.slice(0, 1200));
});

test('the end is rounded to a line, like the start', async () => {
  const pages = await follow(text, '@30+1001:raw');
  expect(pages.slice(0, 3).map(({ path }) => path)).toEqual([
    'a.log:@30+1001:raw',
    'a.log:@520+511:raw',
    'a.log:@1020+11:raw',
  ]);
  expect(
    pages
      .slice(0, 3)
      .map((page) => page.text)
      .join(''),
  ).toBe(text.slice(20, 1040));
});

test.each([
  ['no length', '@0:raw', ['@500+500:raw', '@1000+500:raw', '@1500+500:raw']],
  ['the largest length', '@0+500:raw', ['@500+500:raw', '@1000+500:raw', '@1500+500:raw']],
  ['a smaller length', '@0+400:raw', ['@400+400:raw', '@800+400:raw', '@1200+400:raw', '@1600+400:raw']],
])('a window with %s leads to the end in pages', async (_, selector, others) => {
  const pages = await follow(text, selector);
  expect(pages.map(({ path }) => path)).toEqual([selector, ...others].map((one) => `a.log:${one}`));
  expect(pages.map((page) => page.text).join('')).toBe(text);
});

test('the windows of other dialects are pages', async () => {
  const { call, write } = place('zed', { limits: LIMITS });
  write('a.log', text);
  const { text: shown } = await call('read_file', { path: 'a.log', start_byte: 0, max_bytes: 40 });
  expect(shown.split('\n')[0]).toBe('[bytes 0-40 of 2000, lines 1-2 of 100; continue with start_byte=40]');
});
