import { execFileSync } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createOriel, type Oriel } from '../../src/oriel.ts';
import { FileCache } from '../../src/session/disk-cache.ts';
import { SharedCache } from '../../src/session/shared-cache.ts';
import { openState } from '../../src/state/open-state.ts';
import type { SharedState } from '../../src/types/state.ts';
import { temporaryFolder } from '../support/commands.ts';
import { has } from '../support/has.ts';
import { redisServer, type StoreServer } from '../support/stores.ts';

const key = 'the key of one operator, and no other';

describe.runIf(has('redis'))('the cache of several replicas', () => {
  let server: StoreServer;
  beforeAll(async () => {
    server = await redisServer();
  });
  afterAll(() => server.stop());

  const redis = (...args: string[]): string =>
    execFileSync('redis-cli', ['-p', String(server.port), ...args], { encoding: 'utf8' }).trim();

  interface Replica {
    readonly cache: SharedCache;
    readonly own: FileCache;
    readonly state: SharedState;
  }
  function replica(space: string): Replica {
    const state = openState({ url: server.url, key, timeoutMs: 30_000 }) as SharedState;
    onTestFinished(() => state.close());
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

  test('a newer value that is too large to share removes the older one', async () => {
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
    const count = (kind: string): number =>
      redis('--scan', '--pattern', `oriel:${kind}:*`).split('\n').filter(Boolean).length;
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

  test('other replicas find what one has cached, and no longer find what it has removed', async () => {
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

  test('the newer value of another replica takes precedence over the older local one', async () => {
    const [one, two] = [replica('newer'), replica('newer')];
    one.cache.put('key', [Buffer.from('old')]);
    await one.cache.close();
    two.cache.put('key', [Buffer.from('new')]);
    await two.cache.close();
    expect(text(await one.cache.get('key'))).toBe('new');
  });

  test('a value that is too large to share is cached locally', async () => {
    const [one, two] = [replica('large'), replica('large')];
    one.cache.put('key', [Buffer.alloc((16 << 20) + 1)]);
    await one.cache.close();
    expect((await one.cache.get('key'))?.length).toBe((16 << 20) + 1);
    expect(await two.cache.get('key')).toBeUndefined();
  });

  test('a value of several pieces is shared completely or not at all', async () => {
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
    const pieces = redis('--scan', '--pattern', 'oriel:piece:*').split('\n');
    redis('del', pieces[3] as string, pieces[7] as string, ...pieces.slice(9));
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
    await server.kill();
    expect(text(await one.cache.get('key'))).toBe('kept');
    one.cache.put('later', [Buffer.from('also')]);
    await one.cache.close();
    expect(text(await one.cache.get('later'))).toBe('also');
    await server.restart();
    await expect.poll(() => one.state.stats().up).toBe(true);
    expect(text(await one.cache.get('key'))).toBe('kept');
  });

  test('a web page that one instance has read costs the others no request', async () => {
    let requests = 0;
    const site: Server = createServer((_, response) => {
      requests += 1;
      response.setHeader('content-type', 'text/plain').end('first\nsecond\nthird\n');
    });
    await new Promise<void>((resolve) => void site.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void site.close());
    const { port } = site.address() as { port: number };
    const instance = (): Oriel =>
      createOriel({
        roots: [temporaryFolder()],
        web: { allow: ['127.0.0.1'] },
        cache: { directory: temporaryFolder() },
        state: { url: server.url, key, timeoutMs: 30_000, space: 'team' },
      });
    const read = async (of: Oriel, path: string): Promise<string> => {
      const { content } = await of.tool('read').run({ path });
      return content.map((block) => (block.type === 'text' ? block.text : '')).join('');
    };
    const one = instance();
    expect(await read(one, `http://127.0.0.1:${port}/page`)).toContain('second');
    await one.close();
    const asked = requests;
    const two = instance();
    expect(await read(two, `http://127.0.0.1:${port}/page:2..2`)).toContain('second');
    expect(requests).toBe(asked);
    await two.close();
  });
});
