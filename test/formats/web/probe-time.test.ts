/** Optional probes do not use up the time of the page itself. */

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { pauseClocks, startDeadline } from '../../../src/queues/caller.ts';
import { ProbeTime } from '../../../src/formats/web/pipeline.ts';
import { PAGE_MS, PROBE_MS } from '../../../src/formats/web/limits.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function page() {
  const { signal } = startDeadline(new AbortController().signal, PAGE_MS, () => new Error('late'));
  const probes = new ProbeTime(signal);
  let isOver = false;
  let until: AbortSignal | undefined;
  const begin = (): void => {
    const asking = probes.run((one) => {
      until = one;
      return new Promise((_, reject) => {
        one.throwIfAborted();
        one.addEventListener('abort', () => reject(one.reason as Error));
      });
    });
    void asking.catch(() => (isOver = true));
  };
  return { signal, begin, isOver: () => isOver, until: () => until };
}

test.each([0, 9_000, 13_500])('a hanging probe ends before its page, after %i ms', async (before) => {
  const { signal, begin, isOver } = page();
  await vi.advanceTimersByTimeAsync(before);
  begin();
  await vi.advanceTimersByTimeAsync(Math.min(PROBE_MS, PAGE_MS - 1_000 - before));
  expect(isOver()).toBe(true);
  expect(signal.aborted).toBe(false);
});

test('its time is suspended in a queue', async () => {
  const { begin, isOver, until } = page();
  begin();
  const resume = pauseClocks(until());
  await vi.advanceTimersByTimeAsync(60_000);
  expect(isOver()).toBe(false);
  resume();
  await vi.advanceTimersByTimeAsync(PROBE_MS);
  expect(isOver()).toBe(true);
});
