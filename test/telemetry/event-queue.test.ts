/** The queue of a task's events: the same as an array, whatever events there are and however many have gone. */

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { EventQueue } from '../../src/telemetry/bounded-tasks.ts';
import type { TelemetryEvent } from '../../src/types/telemetry.ts';
import { fc } from '../support/properties.ts';
import { call } from '../support/telemetry.ts';

test('what is pushed and shifted stands as in an array', () => {
  const [queue, array] = [new EventQueue(), [] as ReturnType<typeof call>[]];
  for (let i = 0; i < 5_000; i += 1) {
    const event = call({ bytes: i, ...(i % 3 === 0 && { reads: [{ source: `f${i}`, totalLines: i }] }) });
    queue.push(event);
    array.push(event);
    // Grows to 100, is emptied at times, and goes on.
    const most = i % 1_500 === 0 ? 0 : 100;
    while (array.length > most) {
      expect(queue.at(0)).toEqual(array.shift());
      expect(queue.shift()).toBe(true);
    }
    if (i % 97 === 0) expect([...queue]).toEqual(array);
  }
  expect(queue.length).toBe(100);
  expect([0, 99, 100, -1].map((i) => queue.at(i))).toEqual([array[0], array[99], undefined, undefined]);
});

test('an empty one has nothing to give, and weighs nothing', () => {
  const queue = new EventQueue();
  for (let i = 0; i < 600; i += 1) queue.push(call({ reads: [{ source: 'a' }] }));
  expect(queue.weight).toBeGreaterThan(600);
  while (queue.shift());
  expect([queue.shift(), queue.length, queue.at(0), [...queue], queue.weight]).toEqual([
    false,
    0,
    undefined,
    [],
    0,
  ]);
});

const span = fc.tuple(fc.nat(), fc.nat());
const maybe = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: undefined });
const read = fc.record({
  source: fc.string(),
  what: maybe(fc.string()),
  version: maybe(fc.string()),
  view: maybe(fc.string()),
  window: maybe(fc.string()),
  lines: maybe(fc.array(span, { minLength: 1, maxLength: 2 })),
  bytes: maybe(fc.array(span, { minLength: 1, maxLength: 2 })),
  totalLines: maybe(fc.nat()),
  totalBytes: maybe(fc.nat()),
  cutBy: maybe(fc.string()),
  shown: maybe(fc.nat()),
});
const base = { at: fc.nat({ max: 2 ** 50 }), task: fc.string(), client: maybe(fc.string()) };
const events: fc.Arbitrary<TelemetryEvent> = fc.oneof(
  fc.record({ kind: fc.constant('rate-limit' as const), ...base }),
  fc.record({
    kind: fc.constant('call' as const),
    ...base,
    ms: fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }),
    dialect: fc.string(),
    tool: fc.string(),
    host: maybe(fc.string()),
    bytes: fc.nat(),
    tokens: fc.nat(),
    images: maybe(fc.nat()),
    error: maybe(fc.string()),
    reads: maybe(fc.array(read, { maxLength: 2 })),
    list: maybe(fc.record({ query: fc.string(), from: fc.nat() })),
  }),
);

test('every event comes out as it was put in', () => {
  fc.assert(
    fc.property(fc.array(events, { maxLength: 20 }), (all) => {
      const queue = new EventQueue();
      for (const event of all) queue.push(event);
      expect([...queue]).toEqual(all);
      expect(JSON.stringify([...queue].map(sorted))).toBe(JSON.stringify(all.map(sorted)));
    }),
  );
});

/** Its fields in one order. */
const sorted = (event: TelemetryEvent): unknown =>
  Object.fromEntries(Object.entries(event).sort(([a], [b]) => (a < b ? -1 : 1)));

test('removed events are freed, also if the rest of their block remains', async () => {
  const queue = new EventQueue();
  const gone = (): WeakRef<object> => {
    const event = call({ reads: [{ source: 'a' }, { source: 'b' }] });
    queue.push(event);
    return new WeakRef(event);
  };
  const refs = Array.from({ length: 40 }, gone);
  queue.push(call({ reads: [{ source: 'c' }] }));
  for (let i = 0; i < 40; i += 1) queue.shift();
  await collected(refs);
  expect(queue.length).toBe(1);
  while (queue.shift());
  const next = call({ bytes: 7 });
  queue.push(next);
  expect(queue.at(0)).toEqual(next);
});

async function collected(refs: readonly WeakRef<object>[]): Promise<void> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  await expect
    .poll(() => {
      collect();
      return refs.filter((ref) => ref.deref()).length;
    })
    .toBe(0);
}
