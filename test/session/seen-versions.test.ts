/** Which version of a remote resource each caller was shown last. */

import { expect, test } from 'vitest';
import { nameCaller } from '../../src/queues/caller.ts';
import { SeenVersions } from '../../src/session/snapshots.ts';
import { MemoryStore } from '../support/memory-store.ts';

function named(name: string): object {
  const caller = {};
  nameCaller(caller, { name, isGuess: false });
  return caller;
}

test('each caller has its own last version of each place', async () => {
  const seen = new SeenVersions();
  const [one, other] = [{}, {}];
  expect(await seen.last(one, 'page')).toEqual({});
  await seen.saw(one, 'page', 'v1');
  await seen.saw(one, 'page', 'v2');
  await seen.saw(other, 'page', 'v3');
  expect(await seen.last(one, 'page')).toEqual({ here: 'v2' });
  expect(await seen.last(other, 'page')).toEqual({ here: 'v3' });
  expect(await seen.last(one, 'another page')).toEqual({});
});

test('another replica knows it of named callers for an hour', async () => {
  const store = new MemoryStore();
  const replica = (): SeenVersions => new SeenVersions(store.replica().space('s'));
  const [one, two] = [replica(), replica()];
  await one.saw(named('alice'), 'page', 'v1');
  await one.saw({}, 'page', 'v2');
  expect(await two.last(named('alice'), 'page')).toEqual({ shared: 'v1' });
  expect(await two.last(named('bob'), 'page')).toEqual({});
  expect(await two.last(named('alice'), 'another page')).toEqual({});
  expect([...store.ttls]).toEqual([[expect.stringContaining('seen'), 3_600_000]]);
  const alice = named('alice');
  await two.saw(alice, 'page', 'v3');
  await one.saw(named('alice'), 'page', 'v4');
  expect(await two.last(alice, 'page')).toEqual({ here: 'v3', shared: 'v4' });
  store.kill();
  expect(await two.last(alice, 'page')).toEqual({ here: 'v3' });
});

test('the latest thousand places of a caller are remembered', async () => {
  const seen = new SeenVersions();
  const caller = {};
  for (let i = 0; i < 1_000; i += 1) await seen.saw(caller, `page ${i}`, 'v');
  await seen.last(caller, 'page 0');
  await seen.saw(caller, 'one more', 'v');
  expect([await seen.last(caller, 'page 0'), await seen.last(caller, 'page 1')]).toEqual([{ here: 'v' }, {}]);
});
