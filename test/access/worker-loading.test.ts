import { EventEmitter } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { endingOf, LOADED } from '../../src/access/worker-loading.ts';

/** A worker that records that it was ended, with the function that ends it. */
function worker(): { events: EventEmitter; ended: () => boolean; end: () => Promise<void> } {
  let isEnded = false;
  const events = Object.assign(new EventEmitter(), {
    terminate: () => Promise.resolve(void (isEnded = true)),
  });
  return { events, ended: () => isEnded, end: endingOf(events as EventEmitter as Worker) };
}

const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

test.each<[string, unknown]>([
  ['message', LOADED],
  ['exit', 0],
])('a thread is ended at once after the event %s', async (event, value) => {
  const { events, ended, end } = worker();
  events.emit(event, value);
  const ending = end();
  await turn();
  expect(ended()).toBe(true);
  await ending;
});

test('a thread that still loads is ended when it has loaded, not after another message', async () => {
  const { events, ended, end } = worker();
  const ending = end();
  events.emit('message', 'progress');
  await turn();
  expect(ended()).toBe(false);
  events.emit('message', LOADED);
  await turn();
  expect(ended()).toBe(true);
  await ending;
});
