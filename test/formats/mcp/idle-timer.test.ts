/** A resource is closed when it is unused for some time, and never while it is in use. */

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { IdleTimer } from '../../../src/formats/mcp/servers.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a long use keeps it open, idle time closes it', async () => {
  const end = vi.fn();
  const idle = new IdleTimer(1_000, end);
  let finish = (): void => undefined;
  const long = idle.during(() => new Promise<void>((resolve) => (finish = resolve)));
  await idle.during(() => Promise.resolve());
  await vi.advanceTimersByTimeAsync(100_000);
  expect(end).not.toHaveBeenCalled();
  finish();
  await long;
  await vi.advanceTimersByTimeAsync(999);
  expect(end).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(end).toHaveBeenCalledOnce();
});

test('a new use restarts the timer, failed uses end too', async () => {
  const end = vi.fn();
  const idle = new IdleTimer(1_000, end);
  await idle.during(() => Promise.resolve());
  await vi.advanceTimersByTimeAsync(900);
  await expect(idle.during(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
  await vi.advanceTimersByTimeAsync(900);
  expect(end).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(100);
  expect(end).toHaveBeenCalledOnce();
});

test('a resource closed by other means is not closed again', async () => {
  const end = vi.fn();
  const idle = new IdleTimer(1_000, end);
  const use = idle.during(() => Promise.resolve());
  idle.stop();
  await use;
  await vi.advanceTimersByTimeAsync(10_000);
  expect(end).not.toHaveBeenCalled();
});
