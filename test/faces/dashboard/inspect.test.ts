/**
 * `oriel inspect` in a browser: 10,000 events, what is no event, many tasks, hostile names.
 *
 * @module-tag slow
 */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { addressText } from '../../../src/faces/http/guard.ts';
import { inspect } from '../../../src/faces/http/inspect.ts';
import { EventFile, MAX_INSPECTED_CHARACTERS } from '../../../src/telemetry/event-file.ts';
import type { TelemetryEvent } from '../../../src/types/telemetry.ts';
import { closeBrowserAtEnd, expectAccessible, pageOf } from '../../support/browser.ts';
import { has } from '../../support/has.ts';
import { call, page as pageEvent } from '../../support/telemetry.ts';
import { temporaryFolder } from '../../support/commands.ts';

closeBrowserAtEnd();

async function inspecting(lines: Iterable<string>): Promise<string> {
  const path = join(temporaryFolder(), 'calls.jsonl');
  writeFileSync(path, [...lines].join('\n'));
  const file = await EventFile.open(path, 'oriel inspect FILE', MAX_INSPECTED_CHARACTERS);
  const serving = await inspect({
    file,
    path,
    token: 'secret',
    port: 0,
  });
  const stop = new AbortController();
  const reading = file.read(stop.signal).catch(() => undefined);
  onTestFinished(async () => {
    stop.abort();
    await reading;
    await serving.close();
    await file.close();
  });
  return addressText(serving.address);
}

const written = (events: readonly TelemetryEvent[]): string[] => events.map((event) => JSON.stringify(event));

/** Pages, reads again, and every 50th call one of another task. */
function* many(count: number): Iterable<string> {
  for (let i = 0; i < count; i += 1) {
    const from = 1 + 50 * (i % 18);
    const event = pageEvent(
      from,
      from + 49,
      { source: `src/module-${i % 40}.ts`, cutBy: 'lines' },
      { task: i % 50 === 0 ? `small ${i % 500}` : 'a long task' },
    );
    yield JSON.stringify(event);
  }
}

const EVENTS = 10_000;

/** More would make a browser slow, whatever the file holds. */
const MOST_NODES = 5_000;

test.runIf(has('chromium'))('10,000 events are all counted, and some are drawn', async () => {
  const url = await inspecting([...many(EVENTS), 'torn {']);
  const { page, said } = await pageOf(`${url}/#token=secret`);
  // The token does not stay in the address.
  await expect.poll(() => page.url()).toBe(`${url}/#/`);
  await page.getByText('10,000 events; 1 line is not an event', { exact: false }).waitFor();
  await page.getByRole('link', { name: 'a long task' }).click();
  await page.getByText('9,776 to 9,800 of 9,800').waitFor();
  await page.getByText('Of more than 2,000 calls the outline is drawn.', { exact: false }).waitFor();
  expect(await page.locator('*').count()).toBeLessThan(MOST_NODES);
  // The page answers while all of it is there.
  await page.getByRole('button', { name: 'Older' }).click();
  await page.getByText('9,751 to 9,775 of 9,800').waitFor();
  await page.getByRole('button', { name: 'Show more sources' }).click();
  expect(await page.locator('*').count()).toBeLessThan(MOST_NODES);
  expect(said).toEqual([]);
});

test.runIf(has('chromium'))('tasks over a page are shown by page and keyboard', async () => {
  const tasks = Array.from({ length: 300 }, (_, i) => call({ task: `task ${i}` }));
  const url = await inspecting(written(tasks));
  const { page } = await pageOf(`${url}/#token=secret`);
  await page.getByText('Tasks 1 to 256 of 300').waitFor();
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Used earlier' }).focus();
  await page.keyboard.press('Enter');
  await page.getByText('Tasks 257 to 300 of 300').waitFor();
  await page.getByRole('link', { name: 'task 0', exact: true }).waitFor();
  // The lens reads here nothing, so there is none.
  expect(await page.getByRole('link', { name: 'Lens' }).count()).toBe(0);
  // The token is in that tab alone: another one is asked for it.
  const other = await pageOf(`${url}/`);
  await other.page.getByLabel('Token of this server').waitFor();
});

test.runIf(has('chromium'))('tasks of one name link to their own clients', async () => {
  const url = await inspecting(
    written([
      call({ task: 't', tool: 'of-none' }),
      call({ task: 't', tool: 'of-ann', client: 'ann' }),
      call({ task: 't', tool: 'of-bob', client: 'bob' }),
    ]),
  );
  const { page } = await pageOf(`${url}/#token=secret`);
  for (const [row, tool] of [
    ['t client ann', 'of-ann'],
    ['t client bob', 'of-bob'],
    ['t', 'of-none'],
  ] as const) {
    await page.getByRole('rowheader', { name: row, exact: true }).getByRole('link').click();
    await page.getByRole('cell', { name: tool, exact: true }).waitFor();
    await page.goBack();
  }
});
