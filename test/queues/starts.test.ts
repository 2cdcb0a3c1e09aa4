import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type Caller, registerCallerAddress } from '../../src/queues/caller.ts';
import { createStarts } from '../../src/queues/turns.ts';

const somebody: Caller = {};

function starting(isSingle = () => true): {
  began: string[];
  start: (name: string, caller?: Caller, works?: boolean) => void;
} {
  const start = createStarts(isSingle);
  const began: string[] = [];
  return {
    began,
    start: (name, caller = somebody, works = true) =>
      start(
        () => {
          if (works) began.push(name);
          return works;
        },
        () => caller,
      ),
  };
}

test('the first starts immediately, and one in each turn of the event loop after it, in their order', async () => {
  const { start, began } = starting();
  for (const name of ['a', 'b', 'c']) start(name);
  expect(began).toEqual(['a']);
  await nextTurn();
  expect(began).toEqual(['a', 'b']);
  start('d');
  await nextTurn();
  expect(began).toEqual(['a', 'b', 'c']);
  await nextTurn();
  await nextTurn();
  expect(began).toEqual(['a', 'b', 'c', 'd']);
  start('e');
  expect(began.at(-1)).toBe('e');
});

test('addresses take turns, and callers at one address', async () => {
  const { start, began } = starting();
  const [flood, other, victim]: Caller[] = [{}, {}, {}];
  for (const caller of [flood, other] as Caller[]) registerCallerAddress(caller, '192.0.2.1');
  registerCallerAddress(victim as Caller, '192.0.2.2');
  for (let i = 0; i < 6; i += 1) start(`flood ${i}`, flood);
  start('other', other);
  start('victim', victim);
  while (began.length < 8) await nextTurn();
  expect(began).toEqual([
    'flood 0',
    'flood 1',
    'victim',
    'other',
    'flood 2',
    'flood 3',
    'flood 4',
    'flood 5',
  ]);
});

test('work that is not wanted any more takes no turn', async () => {
  const { start, began } = starting();
  start('a');
  for (let i = 0; i < 100; i += 1) start('gone', somebody, false);
  start('b');
  await nextTurn();
  expect(began).toEqual(['a', 'b']);
});

test('one that throws does not keep others from starting', async () => {
  const start = createStarts(() => true);
  const began: string[] = [];
  const fail = (): boolean => {
    throw new Error('failed');
  };
  expect(() => start(fail, () => somebody)).toThrow('failed');
  start(
    () => began.push('a') > 0,
    () => somebody,
  );
  await nextTurn();
  expect(began).toEqual(['a']);
});

test('all that wait start in the next turn, unless only one may', async () => {
  let isSingle = true;
  const { start, began } = starting(() => isSingle);
  for (const name of ['a', 'b', 'c', 'd']) start(name);
  await nextTurn();
  expect(began).toEqual(['a', 'b']);
  isSingle = false;
  await nextTurn();
  expect(began).toEqual(['a', 'b', 'c', 'd']);
});
