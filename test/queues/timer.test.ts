import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { startTimer } from '../../src/queues/caller.ts';

test('a timer longer than 32 bits of milliseconds does not fire immediately, and Infinity starts none', async () => {
  const fired: number[] = [];
  const lengths = [2 ** 31, 2 ** 31 + 1, 2 ** 40, Number.POSITIVE_INFINITY];
  const stops = lengths.map((ms) => startTimer(ms, () => fired.push(ms)));
  await sleep(20);
  expect(fired).toEqual([]);
  for (const stop of stops) stop();
});

test('a long timer fires when all of its time is over', () => {
  vi.useFakeTimers();
  try {
    const act = vi.fn<() => void>();
    startTimer(2 ** 32, act);
    vi.advanceTimersByTime(2 ** 32 - 1);
    expect(act).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(act).toHaveBeenCalledOnce();
    const stopped = vi.fn<() => void>();
    const stop = startTimer(2 ** 32, stopped);
    vi.advanceTimersByTime(2 ** 31);
    stop();
    vi.advanceTimersByTime(2 ** 33);
    expect(stopped).not.toHaveBeenCalled();
  } finally {
    vi.useRealTimers();
  }
});
