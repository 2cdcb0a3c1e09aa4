/**
 * The dashboard in a browser: signing in, tasks, a task that goes on, the lens, hostile names, keyboard, axe.
 *
 * @module-tag slow
 */

import { expect, test } from 'vitest';
import type { ServeOptions } from '../../../src/faces/http/serve.ts';
import type { TelemetryRecorder } from '../../../src/telemetry/telemetry.ts';
import { dialectNames } from '../../../src/dialects/dialect-table.ts';
import { serveOffer, openOffer } from '../../support/app.ts';
import { closeBrowserAtEnd, expectAccessible, pageOf, signIn } from '../../support/browser.ts';
import { has } from '../../support/has.ts';
import { makePng } from '../../support/images.ts';
import { call, noteOf } from '../../support/telemetry.ts';
import { workspace } from '../../support/workspace.ts';

closeBrowserAtEnd();

const inBrowser = test.runIf(has('chromium'));

type Page = Awaited<ReturnType<typeof pageOf>>['page'];

const isLive = (page: Page) =>
  page
    .getByRole('status')
    .filter({ hasText: /^live$/ })
    .waitFor();
const under = (page: Page, dialect: string) => page.getByRole('article', { name: `Under ${dialect}` });

const LINES = Array.from({ length: 1_000 }, (_, i) => `${String(i + 1).padEnd(99, '.')}\n`).join('');

async function serving(options: Partial<ServeOptions> = {}) {
  const { W, write } = workspace();
  write('big.txt', LINES);
  const offer = openOffer({ cwd: W, manyClients: true });
  const { url, post } = await serveOffer(offer, { operatorToken: 'chief', ...options });
  const read = async (path: string, task = 'fix the login', headers: Record<string, string> = {}) => {
    const sent = { 'oriel-task': encodeURIComponent(task), ...headers };
    await (await post('/api/v0/tools/read', { path }, { headers: sent })).text();
  };
  return { url, read, write, telemetry: offer.telemetry as TelemetryRecorder };
}

inBrowser('the link of an open server shows what all clients read', async () => {
  const { url, read } = await serving();
  const { page } = await pageOf(url);
  await page.getByText('Of this browser alone.', { exact: false }).waitFor();
  await page.getByText('This browser has made no call yet', { exact: false }).waitFor();
  await signIn(page, 'anything');
  await page.getByText('The server does not take this token.').waitFor();
  await expectAccessible(page);
  // What was refused is forgotten.
  await page.reload();
  await page.getByText('Of this browser alone.', { exact: false }).waitFor();
  await page.goto('about:blank');
  await page.goto(`${url}/#token=chief`);
  await page.getByText('claude mcp add --transport http oriel', { exact: false }).waitFor();
  await expectAccessible(page);
  await read('big.txt:1..100');
  await page.getByRole('link', { name: 'fix the login' }).waitFor();
  // 10,000 bytes and the line numbers, of 100,000.
  await page.getByText('90 % saved against reading every file of these tasks whole, once.').waitFor();
  await expectAccessible(page);
});

inBrowser('the keyboard alone leads from signing in to the lens', async () => {
  const { url, read } = await serving({ token: 'api' });
  const bearer = { authorization: 'Bearer api' };
  for (const path of ['big.txt', 'big.txt:494..', 'big.txt:987..', 'big.txt:40..80', 'missing'])
    await read(path, 'fix the login', bearer);
  const view = { viewport: { width: 400, height: 800 }, colorScheme: 'dark' } as const;
  const { page, said } = await pageOf(url, view);
  await page.getByLabel('Token of this server').waitFor();
  await expectAccessible(page);
  await page.emulateMedia({ colorScheme: 'light' });
  await expectAccessible(page);
  // By keyboard alone.
  await page.keyboard.type('wrong');
  await page.keyboard.press('Enter');
  await page.getByText('The server does not take this token.').waitFor();
  await page.getByLabel('Token of this server').fill('chief');
  await page.keyboard.press('Enter');
  await page.getByText('Of all clients of this server.').waitFor();
  await isLive(page);
  await page.getByRole('link', { name: 'fix the login' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'fix the login' }).waitFor();
  await page.getByText(/^once \d+, again [1-9]\d*, never \d+ of 1,000 lines$/).waitFor();
  await page.locator('.timeline canvas').waitFor();
  await page.getByRole('link', { name: 'Lens', exact: true }).click();
  await page.getByLabel('Path with a selector').fill('big.txt');
  await page.getByLabel('Beside it').selectOption('zed');
  await page.getByRole('button', { name: 'Look' }).click();
  await under(page, 'zed').locator('pre').waitFor();
  await under(page, 'oriel').locator('mark').waitFor();
  // The token is nowhere but in the tab. The two refusals are those of the wrong tokens.
  expect(page.url()).not.toContain('chief');
  expect(said.filter((text) => !text.includes('401'))).toEqual([]);
});

inBrowser('text in the lens stays while others make calls', async () => {
  const { url, read } = await serving();
  const { page } = await pageOf(`${url}/#token=chief`);
  await page.getByRole('link', { name: 'Lens', exact: true }).click();
  const [path, bytes] = [page.getByLabel('Path with a selector'), page.getByLabel('Most bytes')];
  await path.fill('big.txt:1..10');
  await bytes.fill('500');
  await page.getByLabel('Beside it').selectOption('zed');
  await isLive(page);
  // The frame is drawn again when it has the new list.
  const listed = page.waitForResponse(async (response) =>
    response.url().endsWith('/api/v0/tasks') ? (await response.text()).includes('fix the login') : false,
  );
  await read('big.txt');
  await listed;
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done)))');
  expect(await path.inputValue()).toBe('big.txt:1..10');
  expect(await bytes.inputValue()).toBe('500');
  await page.getByRole('button', { name: 'Look' }).click();
  await under(page, 'zed').locator('pre').waitFor();
});

inBrowser('a budget that is being typed stays while calls arrive', async () => {
  const { url, read } = await serving();
  await read('big.txt:1..10');
  const { page } = await pageOf(`${url}/#token=chief`);
  await page.getByRole('link', { name: 'fix the login' }).click();
  await page.getByText('1 to 1 of 1').waitFor();
  await page.getByLabel('Budget in tokens').fill('77000');
  await read('big.txt:11..20');
  await page.getByText('1 to 2 of 2').waitFor();
  expect(await page.getByLabel('Budget in tokens').inputValue()).toBe('77000');
});

inBrowser('new calls of a running task appear', async () => {
  const { url, read, telemetry } = await serving();
  await read('big.txt:1..10');
  const { page } = await pageOf(`${url}/#/task?id=fix%20the%20login`);
  await signIn(page);
  await page.getByText('1 to 1 of 1').waitFor();
  await isLive(page);
  await read('big.txt:11..20');
  await page.getByText('1 to 2 of 2').waitFor();
  await page.getByText('once 20, again 0, never 980 of 1,000 lines', { exact: true }).waitFor();
  // The server forgets the task for others of this client, and hears of it again: it is shown as it is now.
  let caller: object | undefined;
  const unwatch = telemetry.watch((_, owner) => (caller = owner));
  await read('big.txt:1..1', 'other');
  unwatch();
  for (let i = 0; i < 300; i += 1) telemetry.record(noteOf(call(), `other ${i}`, caller), undefined);
  await read('big.txt:1..5');
  await page.getByText('1 to 1 of 1').waitFor();
  await page.getByText('once 5, again 0, never 995 of 1,000 lines', { exact: true }).waitFor();
});

inBrowser('events between page load and stream are shown', async () => {
  const { url, read } = await serving();
  const { page } = await pageOf(url);
  // The stream opens when the list has been loaded and a call was made.
  const listed = page.waitForResponse(`${url}/api/v0/tasks`);
  await page.route('**/api/v0/live', async (route) => {
    await listed;
    await read('big.txt:1..10', 'in between');
    await route.continue();
  });
  await signIn(page);
  await page.getByRole('link', { name: 'in between' }).waitFor();
});

inBrowser('links to the lens use the dialect of the calls', async () => {
  const { url, telemetry } = await serving();
  const read = (from: number, to: number) => ({
    source: 'big.txt',
    what: 'file',
    version: 'v',
    lines: [[from, to] as const],
    bytes: [[100 * from - 100, 100 * to] as const],
    totalLines: 1_000,
    totalBytes: 100_000,
  });
  for (const one of [read(1, 1_000), read(40, 80)]) {
    const facts = { dialect: 'zed', tool: 'read_file', bytes: 100_000 };
    telemetry.record(noteOf(call({ ...facts, reads: [one] }), 'a task'), undefined);
  }
  const { page } = await pageOf(`${url}/#/task?id=a%20task`);
  await signIn(page);
  await page.getByText('big.txt start_line=40 end_line=80 would have been enough').waitFor();
  await page.getByRole('link', { name: 'open in the lens: big.txt start_line=40 end_line=80' }).click();
  const shown = under(page, 'zed').locator('pre');
  await shown.filter({ hasText: /^40\.+/ }).waitFor();
  await page.goBack();
  await page.getByRole('link', { name: 'big.txt', exact: true }).click();
  await under(page, 'zed').locator('pre').waitFor();
});

inBrowser('the lens: blocks, truncation and the next call linked', async () => {
  const { url } = await serving();
  const { page } = await pageOf(`${url}/#/lens?path=big.txt&dialect=oriel&lines=10`);
  const article = under(page, 'oriel');
  await expect
    .poll(() => page.getByLabel('Dialect').locator('option').allTextContents())
    .toEqual(dialectNames);
  await article.getByText('Next call: big.txt:11..').click();
  const shown = article.locator('pre').filter({ hasText: /^11\|11\.+/ });
  await shown.waitFor();
  expect(await page.getByLabel('Path with a selector').inputValue()).toBe('big.txt:11..');
  await page.goto(`${url}/#/lens?path=big.txt:1..5&dialect=zed&beside=coder`);
  await under(page, 'coder').getByText('"limit":5', { exact: false }).first().waitFor();
});

inBrowser('the lens with a token shows the image models get', async () => {
  const { url, write } = await serving({ token: 'api' });
  write('photo.png', makePng(40, 30));
  const { page, said } = await pageOf(`${url}/#/lens?path=photo.png&dialect=oriel&beside=pi`);
  await page.getByLabel('Token of this server').fill('api');
  await page.keyboard.press('Enter');
  for (const dialect of ['oriel', 'pi']) await under(page, dialect).getByRole('img').waitFor();
  const sizes = '[...document.images].map((image) => [image.naturalWidth, image.naturalHeight])';
  await expect.poll(() => page.evaluate(sizes)).toEqual([0, 1].map(() => [40, 30]));
  await expectAccessible(page);
  expect(said.filter((text) => !text.includes('401'))).toEqual([]);
});

inBrowser('hostile names and contents are text and run nothing', async () => {
  const { url, read, write } = await serving();
  const name = '<img src=x onerror=alert(1)>.txt';
  write(name, '<script>alert(2)</script>\n<img src="https://example.com/x" onerror=alert(3)>\n');
  await read(name, '"><script>alert(4)</script>\u202e');
  const { page, said } = await pageOf(url);
  await signIn(page);
  await page.getByText('"><script>alert(4)</script>\\u202e').click();
  await page.getByRole('link', { name }).click();
  await page.locator('pre').filter({ hasText: '<script>alert(2)</script>' }).waitFor();
  expect(await page.locator('main img, main script').count()).toBe(0);
  expect(said).toEqual([]);
});
