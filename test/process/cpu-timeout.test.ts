import { spawn } from 'node:child_process';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { maxTimerBefore, ownDeadline, startOwnTimer, cpuWaitMeter } from '../../src/process/cpu-timeout.ts';

/** Files of /proc by their paths; where there are none, the real ones are read. */
const faked = vi.hoisted(() => ({
  tasks: undefined as Record<string, string> | undefined,
  /** The waiting time of this thread in nanoseconds. */
  own: undefined as (() => string) | undefined,
  reads: 0,
}));

vi.mock('node:fs', async (original) => {
  const real = await original<typeof import('node:fs')>();
  return {
    ...real,
    readFileSync(path: string, encoding: 'latin1') {
      if (path !== '/proc/thread-self/schedstat' || !faked.own) return real.readFileSync(path, encoding);
      faked.reads += 1;
      return faked.own();
    },
  };
});
vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>();
  const gone = (): Promise<never> => Promise.reject(new Error('ENOENT'));
  return {
    ...real,
    readdir(path: string) {
      if (!faked.tasks) return real.readdir(path);
      faked.reads += 1;
      return path === '/proc/7/task' ? Promise.resolve(Object.keys(faked.tasks)) : gone();
    },
    readFile(path: string, encoding: 'latin1') {
      if (!faked.tasks) return real.readFile(path, encoding);
      const content = faked.tasks[/^\/proc\/7\/task\/(\d+)\/schedstat$/.exec(path)?.[1] ?? ''];
      return content === undefined || content === '' ? gone() : Promise.resolve(content);
    },
  };
});

beforeEach(() => {
  Object.assign(faked, { tasks: undefined, own: undefined, reads: 0 });
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function on(platform: string): void {
  vi.stubGlobal('process', Object.create(process, { platform: { value: platform } }));
}

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

test('of several threads the one that waited longest counts', async () => {
  on('linux');
  const waited = cpuWaitMeter(7);
  faked.tasks = { 7: '100 5000000 3\n', 8: '100 2500000 3\n' };
  expect(await waited()).toBe(5);
  faked.tasks = { 7: '100 6000000 3\n', 8: '100 9500000 3\n', 9: '' };
  expect(await waited()).toBe(7);
  // A new one, one that has ended, and one without a number.
  faked.tasks = { 7: '100 6000000 3\n', 9: '100 1000000 3\n', 10: '100\n' };
  expect(await waited()).toBe(1);
  expect(await waited()).toBe(0);
});

test('a missing process waits for nobody, other systems read nothing', async () => {
  on('linux');
  faked.tasks = { 7: '100 5000000 3\n' };
  expect(await cpuWaitMeter(8)()).toBe(0);
  faked.reads = 0;
  on('darwin');
  expect([await cpuWaitMeter(7)(), faked.reads]).toEqual([0, 0]);
});

/** A deadline of 1,000 ms of this thread, from a new copy of the module. */
async function ownCopy(): Promise<() => boolean> {
  vi.resetModules();
  return (await import('../../src/process/cpu-timeout.ts')).ownDeadline(1_000);
}

test('this thread’s waiting time is read every 20 ms', async () => {
  on('linux');
  const start = performance.now();
  // It runs for half of the time.
  faked.own = () => `1 ${Math.round((performance.now() - start) * 0.5e6)} 1\n`;
  const isOver = await ownCopy();
  expect(faked.reads).toBe(1);
  vi.advanceTimersByTime(999);
  expect([isOver(), faked.reads]).toEqual([false, 1]);
  vi.advanceTimersByTime(1);
  expect([isOver(), faked.reads]).toEqual([false, 2]);
  // 500 ms more; then it has waited for 750, and so on.
  vi.advanceTimersByTime(500);
  expect([isOver(), faked.reads]).toEqual([false, 3]);
  vi.advanceTimersByTime(499);
  expect(isOver()).toBe(false);
  let asked = 0;
  while (!isOver()) {
    vi.advanceTimersByTime(1);
    asked += 1;
  }
  expect(asked).toBeLessThan(30);
  expect(faked.reads).toBeLessThan(30);
});

test('twice within 20 ms the same time counts', async () => {
  on('linux');
  let own = 0;
  faked.own = () => `1 ${own} 1\n`;
  const isOver = await ownCopy();
  vi.advanceTimersByTime(1_000);
  own = 10e6;
  expect([isOver(), faked.reads]).toEqual([false, 2]);
  // 10 ms more, within which it is not read again.
  vi.advanceTimersByTime(10);
  own = 100e6;
  expect([isOver(), faked.reads]).toEqual([true, 2]);
  vi.advanceTimersByTime(10);
  expect([isOver(), faked.reads]).toEqual([false, 3]);
});

test.each([
  ['a system that does not report it', 'linux'],
  ['another system', 'darwin'],
])('on %s this thread waits for nobody', async (_, platform) => {
  on(platform);
  faked.own = () => {
    if (platform === 'linux') throw new Error('ENOENT');
    return '1 9000000000 1';
  };
  const isOver = await ownCopy();
  vi.advanceTimersByTime(999);
  expect(isOver()).toBe(false);
  vi.advanceTimersByTime(1);
  expect(isOver()).toBe(true);
});
