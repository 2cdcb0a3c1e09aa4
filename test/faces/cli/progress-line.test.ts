import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { progressOn } from '../../../src/faces/cli/print.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** What a terminal is shown, line by line. */
function terminal() {
  const lines: string[] = [];
  const write = (text: string): void => void lines.push(text.replace('\r\x1b[K', ''));
  return {
    lines,
    progress: progressOn({ isTTY: true, columns: 80, write } as unknown as NodeJS.WriteStream),
  };
}

test('seconds without progress are counted, including the first one', () => {
  const { lines, progress } = terminal();
  vi.advanceTimersByTime(2_000);
  progress.clear();
  vi.advanceTimersByTime(2_000);
  expect(lines).toEqual(['working for 1 s', 'working for 1 s', 'working for 2 s', 'working for 2 s', '']);
});

test('progress of the call is not overwritten', () => {
  const { lines, progress } = terminal();
  for (let second = 1; second <= 3; second += 1) {
    vi.advanceTimersByTime(1_200);
    progress.show({ done: 0, message: `searching, ${second} s` });
  }
  progress.clear();
  expect(lines).toEqual([
    'working for 1 s',
    'working for 1 s',
    'searching, 1 s',
    'searching, 2 s',
    'searching, 3 s',
    '',
  ]);
});
