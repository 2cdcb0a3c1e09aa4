/** Tasks are bounded, and whoever has most makes room. */

import { expect, test } from 'vitest';
import { BoundedTasks } from '../../src/telemetry/bounded-tasks.ts';
import { call, page } from '../support/telemetry.ts';

const bounds = { tasks: 3, eventsOfTask: 6, eventWeight: 10, weight: 100 };

test('each owner sees its own tasks, the last used first', () => {
  const tasks = new BoundedTasks<string>();
  for (const task of ['one', 'two', 'one']) tasks.add('me', call({ task }));
  tasks.add('you', call({ task: 'one' }));
  expect(tasks.of('me').map(({ figures }) => [figures.id, figures.calls])).toEqual([
    ['one', 2],
    ['two', 1],
  ]);
  expect(tasks.find('you', 'one')?.figures.calls).toBe(1);
  expect(tasks.find('you', 'two')).toBeUndefined();
  expect(tasks.all()).toHaveLength(3);
});

// The task in use never goes.
test('too many tasks drop the oldest of the busiest owner', () => {
  const tasks = new BoundedTasks<string>(bounds);
  tasks.add('quiet', call({ task: 'a' }));
  for (const task of ['b', 'c', 'd', 'e']) tasks.add('busy', call({ task }));
  expect(tasks.of('quiet').map(({ figures }) => figures.id)).toEqual(['a']);
  expect(tasks.of('busy').map(({ figures }) => figures.id)).toEqual(['e', 'd']);
  tasks.add('third', call({ task: 'f' }));
  tasks.add('fourth', call({ task: 'g' }));
  expect(tasks.all()).toHaveLength(3);
  expect(tasks.find('fourth', 'g')).toBeDefined();
});

test('figures stay when the oldest events of long tasks go', () => {
  const tasks = new BoundedTasks<string>(bounds);
  for (let i = 0; i < 8; i += 1) tasks.add('me', call({ task: 'long', bytes: i }));
  const long = tasks.find('me', 'long');
  expect([long?.events.length, long?.dropped, long?.figures.calls]).toEqual([6, 2, 8]);
  for (let i = 0; i < 5; i += 1) tasks.add('you', call({ task: 'short' }));
  expect([long?.events.length, long?.dropped]).toEqual([5, 3]);
  expect(tasks.find('you', 'short')?.events).toHaveLength(5);
});

test('what figures remember is bounded in all', () => {
  const tasks = new BoundedTasks<string>(bounds);
  tasks.add('you', page(1, 2));
  for (let i = 1; i < 100; i += 2) tasks.add('me', page(i, i, { source: `f${i % 20}` }));
  expect(tasks.all().reduce((sum, { figures }) => sum + figures.weight, 0)).toBeLessThanOrEqual(100);
  expect(tasks.find('you', 'task')).toBeDefined();
});

test('events of many ranges make room only for themselves', () => {
  const tasks = new BoundedTasks<string>();
  for (let i = 0; i < 10; i += 1) tasks.add('quiet', page(1, 10, {}, { task: 'a' }));
  const spans = Array.from({ length: 16 }, (_, i) => [20 * i + 1, 20 * i + 1] as const);
  const read = { source: 'src/'.repeat(50), lines: spans, bytes: spans };
  const wide = call({ task: 'wide', reads: Array.from({ length: 20 }, () => read) });
  for (let i = 0; i < 5_000; i += 1) tasks.add('busy', wide);
  const [quiet, busy] = [tasks.find('quiet', 'a'), tasks.find('busy', 'wide')];
  expect(quiet?.events).toHaveLength(10);
  expect((busy?.events.length ?? 0) * 20 * 32).toBeLessThan(100_000);
  expect([(busy?.dropped ?? 0) + (busy?.events.length ?? 0), busy?.figures.calls]).toEqual([5_000, 5_000]);
});

test('many small tasks leave another client’s large task alone', () => {
  const tasks = new BoundedTasks<string>({ ...bounds, tasks: 100, eventWeight: 60 });
  for (let i = 0; i < 4; i += 1) tasks.add('quiet', page(i, i, {}, { task: 'large' }));
  for (let i = 0; i < 60; i += 1) tasks.add('busy', page(1, 1, { source: `f${i}` }, { task: `small ${i}` }));
  expect(tasks.find('quiet', 'large')?.events).toHaveLength(4);
  expect(tasks.all().reduce((sum, { events }) => sum + events.length, 0)).toBeLessThanOrEqual(12);
});
