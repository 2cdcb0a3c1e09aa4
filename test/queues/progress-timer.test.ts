import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { withProgress } from '../../src/queues/caller.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('progress is reported every second until the work ends', async () => {
  const said: unknown[] = [];
  const waiting = { progress: (progress: unknown) => void said.push(progress) };
  const after = (ms: number, end: () => string): Promise<string> =>
    withProgress(waiting, 'converting', async () => {
      await new Promise((resolve) => void setTimeout(resolve, ms));
      return end();
    });
  const done = after(2_500, () => 'result');
  await vi.advanceTimersByTimeAsync(5_000);
  expect(await done).toBe('result');
  expect(said).toStrictEqual([{ message: 'converting, 1 s' }, { message: 'converting, 2 s' }]);
  const failed = expect(
    after(500, () => {
      throw new Error('damaged');
    }),
  ).rejects.toThrow('damaged');
  await vi.advanceTimersByTimeAsync(5_000);
  await failed;
  expect(said).toHaveLength(2);
});
