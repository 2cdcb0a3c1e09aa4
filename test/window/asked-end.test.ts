import { expect, test } from 'vitest';
import { numbered, place, wideLines } from '../support/dialect.ts';

const LIMITS = { window: 500, windowMax: 500 };

/** 100 lines of 20 bytes: 2,000 bytes. */
const text = wideLines(100, 20);

interface Page {
  readonly path: string;
  readonly text: string;
  readonly by?: string;
}

async function follow(content: string, selector: string, limits: object = LIMITS): Promise<Page[]> {
  const { call, write } = place('oriel', { limits });
  write('a.log', content);
  const pages: Page[] = [];
  for (let path: string | undefined = `a.log:${selector}`; path !== undefined;) {
    const { text: shown, details } = await call('read', { path });
    const { by, next } = (details['truncation'] ?? {}) as { by?: string; next?: string };
    // The notice names the same call.
    expect(/ Use (\S+) to continue\]$/.exec(shown)?.[1]).toBe(next);
    pages.push({ path, text: shown.replace(/\[[^[]*\]$/, ''), ...(by !== undefined && { by }) });
    path = next;
  }
  return pages;
}

test('a length over the largest window: the next calls request what is left of it, and end there', async () => {
  const pages = await follow(text, '@0+1200:raw');
  expect(pages.map(({ path, by }) => [path, by])).toEqual([
    ['a.log:@0+1200:raw', 'windowMax'],
    ['a.log:@500+700:raw', 'windowMax'],
    ['a.log:@1000+200:raw', 'window'],
  ]);
  expect(pages.map((page) => page.text).join('')).toBe(text.slice(0, 1200));
});

test('the end is rounded to a whole line, as the start is', async () => {
  const pages = await follow(text, '@30+1001:raw');
  expect(pages.map(({ path }) => path)).toEqual([
    'a.log:@30+1001:raw',
    'a.log:@520+511:raw',
    'a.log:@1020+11:raw',
  ]);
  expect(pages.map((page) => page.text).join('')).toBe(text.slice(20, 1040));
});

test('the notice names the limit that cut the window', async () => {
  const { call, write } = place('oriel', { limits: LIMITS, display: 'plain' });
  write('a.log', text);
  expect((await call('read', { path: 'a.log:@0+1200' })).text).toBe(
    `${text.slice(0, 500)}[Showing bytes 0-500 of 2000 (lines 1-25, 500 B limit). Use a.log:@500+700 to continue]`,
  );
});

test('another limit that cuts a window is named, and the rest of the length is left', async () => {
  const pages = await follow(numbered(1, 500), '@0+400:raw', { ...LIMITS, answerLines: 60 });
  expect(pages.map(({ path, by }) => [path, by])).toEqual([
    ['a.log:@0+400:raw', 'lines'],
    ['a.log:@171+229:raw', 'lines'],
    ['a.log:@372+28:raw', 'window'],
  ]);
});

test('a length that was shown to its end: the notice has the range, and no next call', async () => {
  const { call, write } = place('oriel', { limits: LIMITS, display: 'plain' });
  write('a.log', text);
  const { text: shown, details } = await call('read', { path: 'a.log:@50+40' });
  expect(shown).toBe(`${text.slice(40, 100)}[Showing bytes 40-100 of 2000 (lines 3-5)]`);
  expect(details['truncation']).toEqual({ by: 'window', shown: { lines: [[3, 5]], bytes: [40, 100] } });
  // At the end of the text nothing is left to report.
  expect((await call('read', { path: 'a.log:@1950+60' })).details).not.toHaveProperty('truncation');
});

test('of several paths, only what has a next call is named', async () => {
  const { call, write } = place('oriel', { limits: { ...LIMITS, bytes: 2_000 } });
  write('a.log', text);
  const { details } = await call('read', { path: 'a.log:@0+40:raw,a.log:@0+700:raw' });
  expect(details['truncation']).toMatchObject({ by: 'windowMax', next: 'a.log:@500+200:raw' });
});

test.each([
  ['no length', '@0:raw', ['@500+500:raw', '@1000+500:raw', '@1500+500:raw']],
  ['the default length', '@0+500:raw', ['@500+500:raw', '@1000+500:raw', '@1500+500:raw']],
  [
    'the length that notices about lines name',
    '@0+64K:raw',
    ['@500+500:raw', '@1000+500:raw', '@1500+500:raw'],
  ],
])('a window with %s is a page: the notices lead to the end of the text', async (_, selector, others) => {
  const pages = await follow(text, selector);
  expect(pages.map(({ path }) => path)).toEqual([selector, ...others].map((one) => `a.log:${one}`));
  expect(pages.map((page) => page.text).join('')).toBe(text);
});

test('a cut inside an oversized line is announced also where the length ends', async () => {
  const pages = await follow(`${'x'.repeat(1_500)}\nlast\n`, '@0+1100:raw');
  expect(pages.slice(0, 4).map(({ path }) => path)).toEqual([
    'a.log:@0+1100:raw',
    'a.log:@500+600:raw',
    'a.log:@1000+100:raw',
    'a.log:@1100+100:raw',
  ]);
  expect(pages.map((page) => page.text.replace(/\n$/, '')).join('')).toBe(`${'x'.repeat(1_500)}last`);
});

test.each([
  [undefined, ':@65536+64K 64 KiB from byte 65536, whole lines'],
  [{ bytes: 48_900 }, ':@65536+48900 47.8 KiB from byte 65536, whole lines'],
])('the description of the tool has the window of the limits %j', (limits, example) => {
  const { oriel } = place('oriel', limits && { limits });
  expect(oriel.tool('read').description).toContain(example);
});

test('the windows of other dialects are pages', async () => {
  const { call, write } = place('zed', { limits: LIMITS });
  write('a.log', text);
  const { text: shown } = await call('read_file', { path: 'a.log', start_byte: 0, max_bytes: 40 });
  expect(shown.split('\n')[0]).toBe('[bytes 0-40 of 2000, lines 1-2 of 100; continue with start_byte=40]');
});
