/**
 * Work in slices: all of it, in order, with a pause whenever a slice has taken its time.
 *
 * @module-tag slow
 */

import { expect, test } from 'vitest';
import { inSlices } from '../../../src/faces/dashboard/events.ts';

test('other work runs between two slices', async () => {
  let [clock, turns] = [0, 0];
  const done: number[] = [];
  const turn = setInterval(() => (turns += 1), 0);
  const items = Array.from({ length: 100 }, (_, i) => i);
  // Each item takes 5 ms of this clock: three fill a slice.
  const work = (item: number): void => {
    done.push(item);
    clock += 5;
  };
  const slices: number[] = [];
  const now = (): number => {
    if (slices.at(-1) !== turns) slices.push(turns);
    return clock;
  };
  await inSlices(items, work, new AbortController().signal, now);
  clearInterval(turn);
  expect(done).toEqual(items);
  expect(slices.length).toBeGreaterThan(10);
});

test('no item is processed after an abort', async () => {
  const stop = new AbortController();
  let count = 0;
  await inSlices(
    [1, 2, 3],
    () => {
      count += 1;
      if (count === 2) stop.abort();
    },
    stop.signal,
  );
  expect(count).toBe(2);
});
