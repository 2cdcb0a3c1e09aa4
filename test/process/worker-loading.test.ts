import { EventEmitter } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { beforeEach, expect, test, vi } from 'vitest';
import { endingOf, LOADED } from '../../src/process/worker-ending.ts';

const sleeps = vi.hoisted(() => [] as { given: unknown[]; resolve: () => void }[]);
vi.mock('node:timers/promises', () => ({
  setTimeout: (...given: unknown[]) => new Promise<void>((resolve) => void sleeps.push({ given, resolve })),
}));

beforeEach(() => void (sleeps.length = 0));

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

test('a thread that still loads is ended only when loaded', async () => {
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

test('a thread still loading after a second is ended then', async () => {
  const { ended, end } = worker();
  const ending = end();
  expect(sleeps.map(({ given }) => given)).toEqual([[1_000, undefined, { ref: false }]]);
  await turn();
  expect(ended()).toBe(false);
  sleeps[0]?.resolve();
  await ending;
  expect(ended()).toBe(true);
});
