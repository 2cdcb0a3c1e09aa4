/**
 * A file of 100,000 events in a browser: no task of the page computes for as long as a frame that is felt.
 *
 * @module-tag slow
 */

import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CDPSession, Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { addressText } from '../../../src/faces/http/guard.ts';
import { inspect } from '../../../src/faces/http/inspect.ts';
import { EventFile, MAX_INSPECTED_CHARACTERS } from '../../../src/telemetry/event-file.ts';
import { closeBrowserAtEnd, pageOf } from '../../support/browser.ts';
import { has } from '../../support/has.ts';
import { page as pageEvent } from '../../support/telemetry.ts';
import { temporaryFolder } from '../../support/commands.ts';

closeBrowserAtEnd();

const EVENTS = 100_000;

/** Milliseconds of processor time, which a busy machine makes a little longer; it takes 10. */
const MOST_MS = 100;

function line(i: number): string {
  const from = 1 + 50 * (i % 18);
  const read = { source: `src/module-${i % 40}.ts`, cutBy: 'lines' };
  return `${JSON.stringify(pageEvent(from, from + 49, read, { task: 'a long task' }))}\n`;
}

/** The address of a server that reads the file on as it grows. */
async function inspecting(): Promise<{ url: string; path: string }> {
  const path = join(temporaryFolder(), 'calls.jsonl');
  writeFileSync(path, Array.from({ length: EVENTS }, (_, i) => line(i)).join(''));
  const file = await EventFile.open(path, 'oriel inspect FILE', MAX_INSPECTED_CHARACTERS);
  const serving = await inspect({
    file,
    path,
    token: 'secret',
    port: 0,
  });
  const stop = new AbortController();
  await file.read(stop.signal);
  const following = file.follow(stop.signal);
  onTestFinished(async () => {
    stop.abort();
    await following;
    await serving.close();
    await file.close();
  });
  return { url: addressText(serving.address), path };
}

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** Of a metadata event, such as `thread_name`. */
  readonly args: { readonly name?: string };
  /** Microseconds of processor time of the thread. */
  readonly tdur?: number;
}

/** Milliseconds of processor time of the longest task of the page's main thread while `act` runs. */
async function longestTask(page: Page, cdp: CDPSession, act: () => Promise<unknown>): Promise<number> {
  const events: TraceEvent[] = [];
  const take = ({ value }: { value: object[] }): void => void events.push(...(value as TraceEvent[]));
  cdp.on('Tracing.dataCollected', take);
  await cdp.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: ['toplevel', 'disabled-by-default-devtools.timeline'] },
  });
  await act();
  // What it has changed is drawn, and the task that did it is over.
  await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))');
  const complete = new Promise((resolve) => cdp.once('Tracing.tracingComplete', resolve));
  await cdp.send('Tracing.end');
  await complete;
  cdp.off('Tracing.dataCollected', take);
  const mains = events
    .filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain')
    .map(({ pid, tid }) => `${pid} ${tid}`);
  const tasks = events.filter(
    ({ name, pid, tid, tdur }) =>
      name.endsWith('RunTask') && tdur !== undefined && mains.includes(`${pid} ${tid}`),
  );
  expect(tasks.length).toBeGreaterThan(10);
  return tasks.reduce((most, { tdur = 0 }) => Math.max(most, tdur / 1_000), 0);
}

test.runIf(has('chromium'))(
  'of 100,000 events: loading, with every control, with new ones',
  { timeout: 240_000 },
  async () => {
    const { url, path } = await inspecting();
    const { page } = await pageOf(`${url}/#token=secret`);
    const cdp = await page.context().newCDPSession(page);
    const longest: Record<string, number> = {};
    const during = async (name: string, act: () => Promise<unknown>): Promise<void> => {
      longest[name] = await longestTask(page, cdp, act);
    };
    // It measures: what holds the page is seen.
    const held = `(() => { let x = 0; for (let i = 0; i < 3e8; i += 1) x = (x * 31 + i) | 0; return x; })()`;
    expect(await longestTask(page, cdp, () => page.evaluate(held))).toBeGreaterThan(MOST_MS);

    await during('loading', async () => {
      await page.getByRole('link', { name: 'a long task' }).click();
      await page.getByText('99,976 to 100,000 of 100,000').waitFor({ timeout: 120_000 });
    });
    for (const name of [
      'Older',
      'Newer',
      'Zoom in',
      'Earlier',
      'Later',
      'Zoom out',
      'Show more sources',
    ] as const)
      await during(name, () => page.getByRole('button', { name, exact: true }).click());
    await during('budget', () => page.getByLabel('Budget in tokens').fill('1000'));
    await during('a narrow window', () => page.setViewportSize({ width: 400, height: 700 }));
    await during('new events', async () => {
      appendFileSync(path, line(1) + line(2));
      await page.getByText('of 100,002', { exact: false }).first().waitFor();
    });
    const slow = Object.entries(longest).filter(([, ms]) => ms >= MOST_MS);
    expect(slow).toEqual([]);
  },
);
