/** Which pages are converted concurrently. */

import { expect, onTestFinished, test } from 'vitest';
import { registerCaller } from '../../../src/queues/caller.ts';
import { queues } from '../../../src/queues/queue-table.ts';
import { convert, convertedText } from '../../../src/formats/web/convert.ts';

const page = (paragraphs: number): string =>
  `<html><body><article>${'<p>A sentence that stands in a paragraph of a page.</p>'.repeat(paragraphs)}</article></body></html>`;

function signalOf(caller: object): AbortSignal {
  const { signal } = new AbortController();
  registerCaller(caller, signal);
  return signal;
}

test('one caller uses one of two converters for large pages', { tags: 'slow' }, async () => {
  const heavy = {};
  const slot = await queues.pages.acquire({ caller: heavy });
  const next = Promise.resolve(queues.pages.acquire({ caller: heavy }));
  onTestFinished(async () => {
    slot.release();
    (await next).release();
  });
  const converted = await convert({ kind: 'page', url: 'http://x/' }, page(6_000), signalOf({}));
  expect(converted && convertedText(converted)).toContain('A sentence that stands');
  expect(queues.pages.stats.waiting).toBe(1);
});

test('a small page does not wait for large ones', async () => {
  const slots = await Promise.all([
    queues.pages.acquire({ caller: {} }),
    queues.pages.acquire({ caller: {} }),
  ]);
  onTestFinished(() => slots.forEach((slot) => slot.release()));
  const converted = await convert({ kind: 'page', url: 'http://x/' }, page(100), signalOf({}));
  expect(converted && convertedText(converted)).toContain('A sentence that stands');
});
