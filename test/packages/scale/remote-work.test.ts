/** What a replica sends to workers through a store that answers late. */

import { expect, onTestFinished, test, vi } from 'vitest';
import { WorkSender, type WorkQueue } from '../../../packages/scale/src/state/remote-work.ts';
import type { StateName, StateSpace } from '../../../src/types/state.ts';
import '../../support/scale.ts';

const PIECE = 512 << 10;
const PIECES = 64;

/** A store that takes a while for each piece, and is quick for all else. */
function slowStore(values: ReadonlyMap<string, object>): { space: StateSpace; pieces: () => number } {
  let pieces = 0;
  const forPiece = async ({ kind }: StateName): Promise<void> => {
    if (kind !== 'piece') return;
    pieces += 1;
    await new Promise((resolve) => setTimeout(resolve, 50));
  };
  return {
    pieces: () => pieces,
    space: {
      isUp: true,
      async get(name) {
        await forPiece(name);
        if (name.kind === 'piece') return Buffer.alloc(PIECE);
        const value = values.get(name.kind);
        const json = Buffer.from(JSON.stringify(value ?? {}));
        if (name.kind === 'cache') return value && Buffer.concat([Buffer.from([1]), json]);
        return value && json;
      },
      async put(name) {
        await forPiece(name);
        return true;
      },
      remove: () => Promise.resolve(),
      add: () => Promise.resolve('away'),
    },
  };
}

test.each([
  ['sent', {}],
  ['fetched', { job: { kind: 'done' }, cache: { id: 'i', bytes: PIECES * PIECE } }],
])('what cannot be %s in time is done here', async (_, values) => {
  // On a busy machine the time could be over before the first piece.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const alive = { worker: { at: Date.now() } };
  const { space, pieces } = slowStore(new Map(Object.entries({ ...alive, ...values })));
  const queue = { add: () => Promise.resolve(true), close: () => Promise.resolve() };
  const sender = new WorkSender({
    state: { space: () => space, nameOf: (text) => text },
    queue: queue as unknown as WorkQueue,
  });
  const order = {
    kind: 'test',
    version: '1',
    key: 'key',
    head: {},
    bytes: PIECES * PIECE,
    read: (_start: number, length: number) => Promise.resolve(Buffer.alloc(length)),
    sha256: '',
  };
  const options = { signal: new AbortController().signal, giveUpAt: performance.now() + 120 };
  const outcome = sender.of('s').run(order, options);
  for (const until = performance.now() + 1_000; performance.now() < until;)
    await vi.advanceTimersByTimeAsync(10);
  expect(await outcome).toEqual({ kind: 'here' });
  expect(pieces()).toBeGreaterThan(0);
  expect(pieces()).toBeLessThan(PIECES / 2);
});
