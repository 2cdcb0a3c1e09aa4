import { spawn } from 'node:child_process';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { maxTimerBefore, ownDeadline, startOwnTimer, cpuWaitMeter } from '../../src/process/cpu-timeout.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** When a timer of 1,000 ms is over, for a process that waits for this part of its time; undefined within 10 s. */
async function overAfter(part: number, most?: number): Promise<number | undefined> {
  let last = performance.now();
  const start = last;
  let at: number | undefined;
  const waited = (): Promise<number> => {
    const passed = performance.now() - last;
    last += passed;
    return Promise.resolve(passed * part);
  };
  startOwnTimer(1_000, waited, () => (at = performance.now() - start), most);
  await vi.advanceTimersByTimeAsync(10_000);
  return at;
}

test('a process that is never kept waiting has its milliseconds', async () => {
  expect(await overAfter(0)).toBe(1_000);
});

test('what it waits in the second half is given back', async () => {
  // Half of 500, of 250, of 125, …, until a timer is too inaccurate.
  const at = await overAfter(0.5);
  expect(at).toBeGreaterThan(1_475);
  expect(at).toBeLessThanOrEqual(1_500);
});

test('one that hardly runs ends after four times as long', async () => {
  const at = await overAfter(1);
  expect(at).toBeGreaterThan(3_900);
  expect(at).toBeLessThanOrEqual(4_000);
});

test('or after what it may take at most', async () => {
  const at = await overAfter(1, 1_700);
  expect(at).toBeGreaterThan(1_600);
  expect(at).toBeLessThanOrEqual(1_700);
});

test('only what is given back ends before a deadline', async () => {
  const from = (ms: number): number => maxTimerBefore(performance.now() + ms, 1_000);
  expect([Infinity, 9_000, 3_000, 1_200, -5].map(from)).toEqual([4_000, 4_000, 2_000, 1_000, 1_000]);
  expect(await overAfter(1, from(3_000))).toBeLessThanOrEqual(2_000);
});

test('a timer that was stopped never ends anything', async () => {
  for (const after of [100, 700]) {
    let isOver = false;
    const stop = startOwnTimer(
      1_000,
      () => Promise.resolve(0),
      () => (isOver = true),
    );
    await vi.advanceTimersByTimeAsync(after);
    stop();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(isOver).toBe(false);
  }
});

test.runIf(process.platform === 'linux')(
  'busy processes on one processor wait, a sleeping one not',
  async () => {
    vi.useRealTimers();
    const started = (code: string) => {
      const child = spawn('taskset', ['-c', '0', process.execPath, '-e', code], { stdio: 'ignore' });
      onTestFinished(() => void child.kill('SIGKILL'));
      return child.pid;
    };
    const busy = [started('for (;;);'), started('for (;;);')].map(cpuWaitMeter);
    await expect
      .poll(async () => (await Promise.all(busy.map((of) => of()))).every((ms) => ms > 1))
      .toBe(true);
    const asleep = cpuWaitMeter(started('setTimeout(() => {}, 1e6)'));
    await asleep();
    await expect.poll(asleep).toBeLessThan(1);
    expect(await cpuWaitMeter(999_999_999)()).toBe(0);
  },
);

/** When a deadline of 1,000 ms is over, for a thread that waits for this part of its time, looked at once a millisecond. */
function deadlineAfter(part: number): number {
  const start = performance.now();
  const isOver = ownDeadline(1_000, () => (performance.now() - start) * part);
  while (!isOver()) vi.advanceTimersByTime(1);
  return performance.now() - start;
}

test('work that checks the clock gets back its waiting time', () => {
  expect(deadlineAfter(0)).toBe(1_000);
  expect(deadlineAfter(0.5)).toBe(2_000);
  expect(deadlineAfter(1)).toBe(4_000);
});
