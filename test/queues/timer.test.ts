import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startTimer } from '../../src/queues/caller.ts';

test('a timer over 32 bits waits, and Infinity starts none', async () => {
  const fired: number[] = [];
  const lengths = [2 ** 31, 2 ** 31 + 1, 2 ** 40, Number.POSITIVE_INFINITY];
  const stops = lengths.map((ms) => startTimer(ms, () => fired.push(ms)));
  await sleep(20);
  expect(fired).toEqual([]);
  for (const stop of stops) stop();
});
