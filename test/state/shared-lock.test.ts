/** Jobs of one process: most of them together, a suspect alone. */

import { expect, test } from 'vitest';
import { SharedLock } from '../../src/state/run-jobs.ts';

test('what runs alone follows earlier jobs and precedes later ones', async () => {
  const lock = new SharedLock(60_000);
  const log: string[] = [];
  const ends = new Map<string, () => void>();
  const act = (name: string) => async (): Promise<string> => {
    log.push(name);
    await new Promise<void>((resolve) => void ends.set(name, resolve));
    log.push(`${name} ends`);
    return name;
  };
  const end = async (name: string): Promise<void> => {
    await expect.poll(() => ends.has(name)).toBe(true);
    ends.get(name)?.();
  };
  const all = [
    lock.shared(act('a')),
    lock.shared(act('b')),
    lock.alone(act('c')),
    lock.alone(act('d')),
    lock.shared(act('e')),
  ];
  for (const name of ['b', 'a', 'c', 'd', 'e']) await end(name);
  expect(await Promise.all(all)).toEqual(['a', 'b', 'c', 'd', 'e']);
  expect(log).toEqual(['a', 'b', 'b ends', 'a ends', 'c', 'c ends', 'd', 'd ends', 'e', 'e ends']);
});

test('a failed or endless job does not block the next', async () => {
  const lock = new SharedLock(20);
  const fails = (): Promise<never> => Promise.reject(new Error('it failed'));
  await expect(lock.shared(fails)).rejects.toThrow('it failed');
  await expect(lock.alone(fails)).rejects.toThrow('it failed');
  const never = (): Promise<never> => new Promise(() => undefined);
  for (const begin of ['shared', 'alone', 'alone', 'shared'] as const) {
    void lock[begin](never);
    const done = (name: string) => (): Promise<string> => Promise.resolve(name);
    expect(await Promise.all([lock.alone(done('one')), lock.shared(done('other'))])).toEqual([
      'one',
      'other',
    ]);
  }
});
