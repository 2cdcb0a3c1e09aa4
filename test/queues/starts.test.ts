import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createStarts } from '../../src/queues/turns.ts';

test('the first starts immediately, and one in each turn of the event loop after it, in their order', async () => {
  const start = createStarts(() => true);
  const began: string[] = [];
  for (const name of ['a', 'b', 'c']) start(() => began.push(name));
  expect(began).toEqual(['a']);
  await nextTurn();
  expect(began).toEqual(['a', 'b']);
  start(() => began.push('d'));
  await nextTurn();
  expect(began).toEqual(['a', 'b', 'c']);
  await nextTurn();
  await nextTurn();
  expect(began).toEqual(['a', 'b', 'c', 'd']);
  start(() => began.push('e'));
  expect(began.at(-1)).toBe('e');
});

test('one that throws does not keep others from starting', async () => {
  const start = createStarts(() => true);
  const began: string[] = [];
  const fail = (): void => {
    throw new Error('failed');
  };
  expect(() => start(fail)).toThrow('failed');
  start(() => began.push('a'));
  await nextTurn();
  expect(began).toEqual(['a']);
});

test('all that wait start in the next turn, unless only one may', async () => {
  let isSingle = true;
  const start = createStarts(() => isSingle);
  const began: string[] = [];
  for (const name of ['a', 'b', 'c', 'd']) start(() => began.push(name));
  await nextTurn();
  expect(began).toEqual(['a', 'b']);
  isSingle = false;
  await nextTurn();
  expect(began).toEqual(['a', 'b', 'c', 'd']);
});
