/** The cache of several replicas, with a store in memory; `test/packages/scale/stores.test.ts` holds the real ones to the same. */

import { describe, expect, test } from 'vitest';
import { FileCache } from '../../../src/session/disk-cache.ts';
import { SharedCache } from '../../../packages/scale/src/session/cache.ts';
import type { SharedState } from '../../../src/types/state.ts';
import { temporaryFolder } from '../../support/commands.ts';
import { MemoryStore } from '../../support/memory-store.ts';

describe('the cache of several replicas', () => {
  const store = new MemoryStore();

  interface Replica {
    readonly cache: SharedCache;
    readonly own: FileCache;
    readonly state: SharedState;
  }
  function replica(space: string): Replica {
    const state = store.replica();
    const own = new FileCache({ directory: temporaryFolder() });
    return { cache: new SharedCache(own, state.space(space)), own, state };
  }
  async function inPieces(cache: SharedCache, key: string): Promise<Buffer[]> {
    let taken: Buffer[] = [];
    const found = await cache.getPieces(key, () => {
      taken = [];
      return (piece) => Promise.resolve(void taken.push(piece));
    });
    expect(found).toBe(true);
    return taken;
  }
  const text = (value: Buffer | undefined): string | undefined => value?.toString();

  test('a newer value too large to share removes the old', { tags: 'slow' }, async () => {
    const one = replica('large');
    one.cache.put('key', [Buffer.from('old')]);
    await one.cache.close();
    one.cache.put('key', [Buffer.alloc(17 << 20, 'new')]);
    await one.cache.close();
    expect(text(await one.cache.get('key'))?.slice(0, 3)).toBe('new');
    expect(await replica('large').cache.get('key')).toBeUndefined();
  });

  test('nothing remains of a replaced value, for any sizes', async () => {
    const [one, two] = [replica('replaced'), replica('replaced')];
    const count = (kind: string): number => store.keys(kind).length;
    const before = [count('cache'), count('piece')] as const;
    const large = (text: string): Buffer => Buffer.alloc(3 << 20, text);
    const values = [large('one'), Buffer.from('two'), large('three'), large('four'), Buffer.from('five')];
    for (const [i, value] of values.entries()) {
      await (i % 2 === 0 ? one : two).cache.put('key', [value]);
      // Where it lies, and its pieces.
      const isLarge = value.length > 100;
      expect([count('cache'), count('piece')]).toEqual([before[0] + 1, before[1] + (isLarge ? 6 : 0)]);
      expect((await replica('replaced').cache.get('key'))?.equals(value)).toBe(true);
    }
    two.cache.remove('key');
    await two.cache.close();
    expect([count('cache'), count('piece')]).toEqual(before);
  });

  test('closing a session does not wait for an unresponsive store', async () => {
    const mute = (): Promise<never> => new Promise(() => undefined);
    const own = new FileCache({ directory: temporaryFolder() });
    const cache = new SharedCache(own, { isUp: true, get: mute, put: mute, remove: mute, add: mute });
    void cache.put('key', [Buffer.from('value')]);
    await cache.close();
  });

  test('replicas find what others cached, until it is removed', async () => {
    const [one, two] = [replica('a'), replica('a')];
    one.cache.put('key', [Buffer.from('of '), Buffer.from('one')]);
    await one.cache.close();
    expect(text(await two.cache.get('key'))).toBe('of one');
    expect(await two.cache.get('another key')).toBeUndefined();
    expect(two.cache.lookups).toEqual({ hits: 1, misses: 1 });
    two.cache.remove('key');
    await two.cache.close();
    expect(await replica('a').cache.get('key')).toBeUndefined();
    expect(await replica('b').cache.get('key')).toBeUndefined();
  });

  test('the newer value of another replica replaces the local one', async () => {
    const [one, two] = [replica('newer'), replica('newer')];
    one.cache.put('key', [Buffer.from('old')]);
    await one.cache.close();
    two.cache.put('key', [Buffer.from('new')]);
    await two.cache.close();
    expect(text(await one.cache.get('key'))).toBe('new');
  });

  test('a value too large to share is cached locally', async () => {
    const [one, two] = [replica('large'), replica('large')];
    one.cache.put('key', [Buffer.alloc((16 << 20) + 1)]);
    await one.cache.close();
    expect((await one.cache.get('key'))?.length).toBe((16 << 20) + 1);
    expect(await two.cache.get('key')).toBeUndefined();
  });

  test('a value of several pieces is shared completely or not', async () => {
    const [one, two] = [replica('pieces'), replica('pieces')];
    const large = Buffer.alloc((5 << 20) + 3, (1 << 20).toString(7));
    await one.cache.put('key', [Buffer.from('small')]);
    await one.cache.put('key', [large.subarray(0, 7), large.subarray(7)]);
    expect((await two.cache.get('key'))?.equals(large)).toBe(true);
    const read = (start: number, length: number): Promise<Uint8Array> =>
      Promise.resolve(large.subarray(start + 7, start + 7 + length));
    await one.cache.put('read', [large.subarray(0, 7), { length: large.length - 7, read }]);
    expect(Buffer.concat(await inPieces(two.cache, 'read')).equals(large)).toBe(true);
    await one.cache.put('key', [Buffer.from('small again')]);
    expect(Buffer.concat(await inPieces(two.cache, 'key')).toString()).toBe('small again');
    expect(text(await two.cache.get('key'))).toBe('small again');
    await one.cache.put('key', [large]);
    const pieces = store.keys('piece');
    for (const piece of [pieces[3] as string, pieces[7] as string, ...pieces.slice(9)])
      store.values.delete(piece);
    expect(await two.cache.get('key')).toBeUndefined();
    expect((await one.cache.get('key'))?.equals(large)).toBe(true);
    // Some pieces of the shared copy came, and then all of the copy on this machine.
    expect(Buffer.concat(await inPieces(one.cache, 'key')).equals(large)).toBe(true);
    one.cache.remove('key');
    await one.cache.close();
    expect(await replica('pieces').cache.get('key')).toBeUndefined();
  });

  test('while the store is unavailable the local disk is used', async () => {
    const one = replica('away');
    one.cache.put('key', [Buffer.from('kept')]);
    await one.cache.close();
    store.kill();
    expect(text(await one.cache.get('key'))).toBe('kept');
    one.cache.put('later', [Buffer.from('also')]);
    await one.cache.close();
    expect(text(await one.cache.get('later'))).toBe('also');
    store.restart();
    await expect.poll(() => one.state.stats().up).toBe(true);
    expect(text(await one.cache.get('key'))).toBe('kept');
  });
});
