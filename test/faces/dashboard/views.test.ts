/**
 * Every view of the dashboard, wide and narrow, light and dark: nothing is cut off or broken, and keys are enough.
 *
 * @module-tag slow
 */

import { expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import type { TelemetryRecorder } from '../../../src/telemetry/telemetry.ts';
import { serveOffer, openOffer } from '../../support/app.ts';
import { closeBrowserAtEnd, expectAccessible, pageOf, signIn } from '../../support/browser.ts';
import { has } from '../../support/has.ts';
import { call, noteOf, page as pageEvent } from '../../support/telemetry.ts';
import { workspace } from '../../support/workspace.ts';

closeBrowserAtEnd();

const inBrowser = test.runIf(has('chromium'));

/** A task with everything that a view can show, and names and figures as long as they come. */
async function serving(): Promise<string> {
  const { W, write } = workspace();
  write('big.txt', Array.from({ length: 1_000 }, (_, i) => `${String(i + 1).padEnd(99, '.')}\n`).join(''));
  const offer = openOffer({ cwd: W, manyClients: true });
  const { url } = await serveOffer(offer, { operatorToken: 'chief' });
  const telemetry = offer.telemetry as TelemetryRecorder;
  const caller = {};
  const record = (event: ReturnType<typeof call>, task = 'a task'): void =>
    telemetry.record(noteOf({ ...event, at: 1_700_000_000_000 }, task, caller), undefined);
  for (let i = 0; i < 60; i += 1) {
    const source = i < 30 ? 'big.txt' : `src/${'deep/'.repeat(30)}${i}.ts`;
    record(pageEvent(1 + 10 * i, 30 + 10 * i, { source, cutBy: 'lines' }, { bytes: 3_000 }));
  }
  record(pageEvent(1, 1_000, { source: 'whole.txt' }, { bytes: 123_456_789 }));
  record(pageEvent(40, 80, { source: 'whole.txt' }));
  record(call({ error: 'NOT_FOUND' }));
  telemetry.reportRateLimit({ by: 'provider' }, { task: 'a task', caller });
  record(call({ bytes: 123_456_789, tokens: 30_864_198 }), `one ${'long-name-'.repeat(19)}`);
  return url;
}

const VIEWS = {
  tasks: ['#/', 'link', 'a task'],
  task: ['#/task?id=a%20task', 'heading', 'Sources'],
  lens: ['#/lens?path=big.txt&dialect=oriel&beside=zed&bytes=1024', 'article', 'Under zed'],
} as const;

async function open(page: Page, url: string, view: keyof typeof VIEWS): Promise<void> {
  const [hash, role, name] = VIEWS[view];
  await page.goto(`${url}/${hash}`);
  await page.getByRole(role, { name, exact: true }).waitFor();
  if (view === 'lens') await page.locator('article pre').nth(1).waitFor();
  if (view === 'task') await page.locator('.timeline canvas').waitFor();
  if (view === 'tasks')
    await page.getByRole('img', { name: /^64 calls from .*, at most 64 in 1 s$/ }).waitFor();
}

async function enter(page: Page): Promise<void> {
  await signIn(page);
  await page.getByText('Of all clients of this server.').waitFor();
}

/** That nothing of the page is broken. */
async function expectWhole(page: Page, where: object): Promise<void> {
  const broken = (await page.evaluate(BROKEN)) as object;
  expect({ ...where, ...broken }).toEqual({ ...where, figures: [], heads: [], wider: 0 });
}

/** Figures that stand on more than one line, heads that do not stand above their column, and how far the page is wider than its window. */
const BROKEN = `(() => {
  const figures = [...document.querySelectorAll('td')].filter((cell) => /^[\\d,.:%<]+( \\w+| %)?$/.test(cell.textContent));
  const lines = (cell) => {
    const range = document.createRange();
    range.selectNodeContents(cell);
    return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size;
  };
  const { scrollWidth } = document.documentElement;
  const align = (cell) => cell && getComputedStyle(cell).textAlign;
  const heads = [...document.querySelectorAll('thead th')].filter((head) => {
    const table = head.closest('table');
    const cell = table.querySelector('tbody tr:not(:has([colspan]))')?.children[head.cellIndex];
    // On a narrow screen the heads are hidden.
    return getComputedStyle(table).display === 'table' && cell && align(head) !== align(cell);
  });
  return { figures: figures.filter((cell) => lines(cell) > 1).map((cell) => cell.textContent), heads: heads.map((head) => head.textContent), wider: Math.max(0, scrollWidth - innerWidth) };
})()`;

// No figure is broken, and nothing scrolls horizontally.
inBrowser('axe accepts every view, light and dark, narrow and wide', async () => {
  const url = await serving();
  const { page, said } = await pageOf(url, { colorScheme: 'light' });
  await enter(page);
  for (const view of Object.keys(VIEWS) as (keyof typeof VIEWS)[]) {
    await open(page, url, view);
    for (const width of [400, 700, 900, 961, 1_200, 1_800]) {
      await page.setViewportSize({ width, height: 800 });
      await expectWhole(page, { view, width });
      if (width === 400 || width === 1_200) await expectAccessible(page);
    }
    // Dark, it differs by its colours alone.
    await page.emulateMedia({ colorScheme: 'dark' });
    await expectAccessible(page);
    await page.emulateMedia({ colorScheme: 'light' });
  }
  expect(said.filter((text) => !text.includes('401'))).toEqual([]);
});

inBrowser('an old timeline does not widen a narrower window', async () => {
  const url = await serving();
  const { page } = await pageOf(url, { viewport: { width: 1_800, height: 800 } });
  // As on a machine that is too busy to tell of the new size.
  await page.addInitScript('globalThis.ResizeObserver = class { observe() {} disconnect() {} }');
  await page.reload();
  await enter(page);
  await open(page, url, 'task');
  for (const width of [1_200, 400]) {
    await page.setViewportSize({ width, height: 800 });
    await expectWhole(page, { width });
  }
});

inBrowser('timeline marks show their call, task columns are explained', async () => {
  const url = await serving();
  const { page } = await pageOf(url, { viewport: { width: 1_200, height: 800 } });
  await enter(page);
  await page.getByText('What the figures mean').click();
  await expect
    .poll(() => page.getByText('Calls that larger windows would have saved').isVisible())
    .toBe(true);
  await open(page, url, 'task');
  await page.getByText('Point at a mark to see its call.').waitFor();
  const box = await page.locator('.u-over').boundingBox();
  const { x, y, width } = box as NonNullable<typeof box>;
  await page.mouse.move(x + 1, y + 20);
  await page.getByText('1: read big.txt L1-30, 2.9 KiB, cut by lines').waitFor();
  await page.mouse.move(x + width - 1, y + 20);
  await page.getByText('63: read, NOT_FOUND').waitFor();
  await page.mouse.move(0, 0);
  await page.getByText('Point at a mark to see its call.').waitFor();
});

inBrowser('the list, lens and task survive a broken connection', async () => {
  const url = await serving();
  const { page } = await pageOf(url);
  await enter(page);
  const broken = new Set<string>();
  await page.route('**/api/v0/{tasks,lens}**', async (route) => {
    const { pathname } = new URL(route.request().url());
    if (broken.has(pathname)) return route.continue();
    broken.add(pathname);
    await route.abort('connectionreset');
  });
  await open(page, url, 'lens');
  await open(page, url, 'task');
  expect([...broken].sort()).toEqual(['/api/v0/lens', '/api/v0/tasks', '/api/v0/tasks/a%20task/events']);
});

/** What has the focus, as its name and whether it is seen to have it. */
const FOCUSED = `(() => {
  const element = document.activeElement;
  if (!element || element === document.body) return undefined;
  const all = [...document.querySelectorAll('a[href], button:not(:disabled), input, select, summary, [tabindex="0"]')];
  const { outlineStyle } = getComputedStyle(element);
  return { at: all.indexOf(element), of: all.length, seen: outlineStyle !== 'none' };
})()`;

inBrowser('Tab reaches every control in order, with visible focus', async () => {
  const url = await serving();
  const { page } = await pageOf(url);
  await enter(page);
  for (const view of Object.keys(VIEWS) as (keyof typeof VIEWS)[]) {
    await open(page, url, view);
    await page.evaluate('document.activeElement?.blur(); scrollTo(0, 0); 0');
    const reached: number[] = [];
    let count = 0;
    do {
      await page.keyboard.press('Tab');
      const focused = (await page.evaluate(FOCUSED)) as { at: number; of: number; seen: boolean } | undefined;
      if (!focused) break;
      expect(focused.seen).toBe(true);
      reached.push(focused.at);
      count = focused.of;
    } while (reached.length <= count);
    expect(count).toBeGreaterThan(2);
    expect(reached, view).toEqual(Array.from({ length: count }, (_, i) => i));
  }
});
