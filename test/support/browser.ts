/** Debian's Chromium, for tests of the dashboard: one for each test file, a fresh context for each page. */

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, expect, onTestFinished } from 'vitest';

let browser: Promise<Browser> | undefined;

/** Closes the browser at the end of the file that calls this. */
export function closeBrowserAtEnd(): void {
  afterAll(async () => (await browser)?.close());
}

/** The same limit as for polled expectations: Playwright's default of 30 s is too short when other tests use the CPU. */
const LONGEST_WAIT_MS = 100_000;

export interface PageUnderTest {
  readonly page: Page;
  /** Console messages, and violations of the Content-Security-Policy. */
  readonly said: readonly string[];
}

export async function pageOf(url: string, options: BrowserContextOptions = {}): Promise<PageUnderTest> {
  browser ??= chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  });
  const context = await (await browser).newContext(options);
  onTestFinished(() => context.close());
  context.setDefaultTimeout(LONGEST_WAIT_MS);
  const page = await context.newPage();
  const said: string[] = [];
  page.on('console', (message) => void (message.type() === 'error' && said.push(message.text())));
  page.on('pageerror', (error) => void said.push(String(error)));
  page.on('dialog', (dialog) => {
    said.push(`dialog ${dialog.message()}`);
    void dialog.dismiss();
  });
  await page.goto(url);
  return { page, said };
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Expects no axe-core violations. Scripts that a test evaluates bypass the page's CSP, which stays in force otherwise. */
export async function expectAccessible(page: Page): Promise<void> {
  await page.evaluate(`${axe};0`);
  const violations = await page.evaluate(
    'axe.run().then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes.slice(0, 3).map(({ html }) => html)]))',
  );
  expect(violations).toEqual([]);
}

/** Signs in on a page of the dashboard. */
export async function signIn(page: Page, token = 'chief'): Promise<void> {
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByLabel('Token of this server').fill(token);
  await page.keyboard.press('Enter');
}
