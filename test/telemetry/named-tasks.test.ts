/** Tasks of a file: told apart by client and name, as far as there is room. */

import { expect, test } from 'vitest';
import { NamedTasks } from '../../src/telemetry/bounded-tasks.ts';
import { call, page } from '../support/telemetry.ts';

test('by client and name; too many are counted together', () => {
  const tasks = new NamedTasks({ tasks: 3, weight: 1_000 });
  for (const [task, client] of [['a'], ['a', 'x'], ['b'], ['c'], ['d'], ['a']] as const)
    tasks.add(call({ task, ...(client && { client }) }));
  expect(tasks.all.map(({ id, client, calls }) => [id, client, calls])).toEqual([
    ['a', undefined, 2],
    ['a', 'x', 1],
    ['b', undefined, 1],
    ['others', undefined, 2],
  ]);
});

test('sources are bounded: further calls count, without their reads', () => {
  const tasks = new NamedTasks({ tasks: 3, weight: 10 });
  for (let i = 0; i < 100; i += 1) tasks.add(page(1, 10, { source: `${i}.ts` }, { task: 'a' }));
  const [figures] = tasks.all;
  expect(figures?.calls).toBe(100);
  expect(figures?.weight).toBeLessThanOrEqual(14);
  expect(tasks.withoutReads).toBe(100 - (figures?.files.size ?? 0));
});
