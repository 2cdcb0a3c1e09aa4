/** The queue of a task's events: the same as an array, however many have gone. */

import { expect, test } from 'vitest';
import { EventQueue } from '../../src/telemetry/event-queue.ts';
import { call } from '../support/telemetry.ts';

test('what is pushed and shifted stands as in an array', () => {
  const [queue, array] = [new EventQueue(), [] as ReturnType<typeof call>[]];
  for (let i = 0; i < 5_000; i += 1) {
    const event = call({ bytes: i });
    queue.push(event);
    array.push(event);
    // Grows to 100, is emptied at times, and goes on.
    const most = i % 1_500 === 0 ? 0 : 100;
    while (array.length > most) expect(queue.shift()).toBe(array.shift());
    if (i % 97 === 0) expect([...queue]).toEqual(array);
  }
  expect([queue.length, queue.at(0), queue.at(99), queue.at(100)]).toEqual([
    100,
    array[0],
    array[99],
    undefined,
  ]);
});

test('an empty one has nothing to give', () => {
  const queue = new EventQueue();
  expect([queue.shift(), queue.length, queue.at(0), [...queue]]).toEqual([undefined, 0, undefined, []]);
});
