/** Uses of a store, some at a time. */

import { expect, test } from 'vitest';
import { OperationSemaphore } from '../../src/state/shared-state.ts';

test('a request that gets no slot in time fails, and takes no slot from later ones', async () => {
  const slots = new OperationSemaphore(1);
  let end = (): void => undefined;
  const first = slots.run(
    () => new Promise<string>((resolve) => (end = () => resolve('first'))),
    60_000,
    'late',
  );
  const begun: string[] = [];
  const use = (name: string) => async () => (begun.push(name), name);
  const second = slots.run(use('second'), 5, 'late');
  const third = slots.run(use('third'), 60_000, 'late');
  expect(await second).toBe('late');
  end();
  expect(await Promise.all([first, third])).toEqual(['first', 'third']);
  expect(begun).toEqual(['third']);
  expect(await slots.run(use('fourth'), 60_000, 'late')).toBe('fourth');
});
