/** What remains of kept outputs when sessions together keep more than there is room for. */

import { expect, test } from 'vitest';
import { SpillQuota, type SpillShare } from '../../src/session/spill-writer.ts';

/** Sessions that share a quota: `keep` keeps an output of that size, `gone` are those evicted so far. */
function sessions(total: number) {
  const quota = new SpillQuota(total);
  const gone: string[] = [];
  const keys = new Map<string, object>();
  const keyOf = (owner: string): object => {
    const key = keys.get(owner) ?? {};
    keys.set(owner, key);
    return key;
  };
  const begin = (name: string): SpillShare => quota.begin(keyOf(name[0] ?? ''), () => void gone.push(name));
  return {
    quota,
    gone,
    begin,
    leave: (owner: string) => quota.leave(keyOf(owner)),
    keep(name: string, bytes: number): number {
      const share = begin(name);
      const granted = share.take(bytes);
      share.keep();
      return granted;
    },
  };
}

test('the oldest output of the largest session is evicted first', () => {
  const { quota, gone, keep } = sessions(100);
  for (const [name, bytes] of [
    ['a1', 20],
    ['b1', 30],
    ['b2', 30],
    ['a2', 20],
  ] as const)
    expect(keep(name, bytes)).toBe(bytes);
  expect([quota.used, quota.outputs, gone]).toEqual([100, 4, []]);
  expect(keep('a3', 10)).toBe(10);
  expect([quota.used, gone]).toEqual([80, ['b1']]);
  expect(keep('a4', 30)).toBe(30);
  // Session a has most now.
  expect([quota.used, quota.outputs, gone]).toEqual([90, 4, ['b1', 'a1']]);
  expect([keep('c1', 60), gone.slice(2)]).toEqual([60, ['a2', 'a3', 'a4']]);
});

test('an output being written is cut to what is left', () => {
  const { quota, gone, begin, keep } = sessions(100);
  const written = begin('a1');
  expect([written.take(60), written.take(60)]).toEqual([60, 40]);
  expect([written.take(1), keep('b1', 10), gone]).toEqual([0, 0, []]);
  written.keep();
  expect([keep('b2', 70), gone]).toEqual([70, ['a1']]);
  expect(quota.used).toBe(70);
  // The largest session has none that is complete.
  const other = sessions(100);
  other.begin('a1').take(60);
  expect([other.keep('b1', 40), other.keep('c1', 30), other.gone]).toEqual([40, 30, ['b1']]);
});

test('what outputs and sessions return is free again, once', () => {
  const { quota, gone, begin, keep, leave } = sessions(100);
  const failed = begin('a1');
  failed.take(80);
  failed.drop();
  failed.drop();
  expect([quota.used, quota.outputs, failed.take(5)]).toEqual([0, 0, 0]);
  for (const name of ['a2', 'a3', 'b1']) keep(name, 30);
  leave('a');
  leave('a');
  expect([quota.used, quota.outputs, keep('b2', 70), gone]).toEqual([30, 1, 70, []]);
});

test('a session keeps a thousand outputs, all together twenty thousand', () => {
  const { quota, gone, keep } = sessions(Number.POSITIVE_INFINITY);
  for (let i = 1; i <= 1_001; i += 1) keep(`a${i}`, 1);
  expect([quota.outputs, quota.used, gone]).toEqual([1_000, 1_000, ['a1']]);
  for (const owner of 'bcdefghijklmnopqrstu') for (let i = 1; i <= 950; i += 1) keep(`${owner}${i}`, 0);
  expect([quota.outputs, gone]).toEqual([20_000, ['a1']]);
  keep('v1', 0);
  expect([quota.outputs, gone]).toEqual([20_000, ['a1', 'a2']]);
});
