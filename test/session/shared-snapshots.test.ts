import { execFileSync } from 'node:child_process';
import { describe, expect, onTestFinished, test } from 'vitest';
import { SharedSnapshots } from '../../src/session/shared-snapshots.ts';
import { openState } from '../../src/state/open-state.ts';
import type { SharedState } from '../../src/types/state.ts';
import { has } from '../support/has.ts';
import { redisServer, storeForAll, storeKinds } from '../support/stores.ts';

const key = 'the key of one operator, and no other';

const digest = (start: string): string => start.padEnd(64, '0');

const numbered = (from: number, to: number): [number, string][] =>
  Array.from({ length: to - from + 1 }, (_, i) => [from + i, `line ${from + i}\n`]);

for (const { kind, start, end } of storeKinds) {
  describe.runIf(has(kind))(`what replicas on ${kind} have shown`, () => {
    const made = storeForAll(start);

    interface Replica {
      readonly snapshots: SharedSnapshots;
      readonly state: SharedState;
    }
    function replica(space: string, secret = key): Replica {
      const state = openState({ url: made.server.url, key: secret, timeoutMs: 30_000 }) as SharedState;
      const snapshots = new SharedSnapshots(state.space(space));
      onTestFinished(async () => {
        await snapshots.close();
        await state.close();
      });
      return { snapshots, state };
    }
    const show = async ({ snapshots }: Replica, lines: [number, string][], content = digest('beef')) => {
      const tag = snapshots.tag('/f', content);
      snapshots.see('/f', tag, lines);
      await snapshots.flush();
      return tag;
    };
    const uses = ({ state }: Replica): number =>
      [...state.stats().operations.values()]
        .flatMap((counts) => Object.values(counts))
        .reduce((all, one) => all + one, 0);

    test('a line that one has shown another one recalls, under the same tag and no other', async () => {
      const [one, two] = [replica('a'), replica('a')];
      const tag = await show(one, numbered(500, 1_100));
      expect(tag).toBe('BEEF0000');
      expect(two.snapshots.tag('/f', digest('beef'))).toBe(tag);
      expect([...(await two.snapshots.lines('/f', tag, 498, 501))]).toEqual(numbered(500, 501));
      expect([...(await replica('a').snapshots.lines('/f', tag, 1, 2_000))]).toEqual(numbered(500, 1_100));
      expect((await two.snapshots.lines('/f', 'BEEF0001', 500, 501)).size).toBe(0);
      expect((await two.snapshots.lines('/g', tag, 500, 501)).size).toBe(0);
    });

    test('what several have shown of one version is recalled together, on each of them', async () => {
      const [one, two, third] = [replica('together'), replica('together'), replica('together')];
      const tag = await show(one, numbered(1, 3));
      await show(two, numbered(3, 6));
      for (const { snapshots } of [one, two, third])
        expect([...(await snapshots.lines('/f', tag, 1, 9))]).toEqual(numbered(1, 6));
    });

    test('two contents have two tags on whichever replicas they were shown first', () => {
      const contents = ['beef1', 'beef2', 'beef3'].map(digest);
      const tags = contents.map((content) => replica('tags').snapshots.tag('/f', content));
      expect(new Set(tags).size).toBe(3);
    });

    test('no other client and no other operator recalls it', async () => {
      const tag = await show(replica('client alice'), numbered(1, 3));
      for (const other of [replica('client bob'), replica('client alice', 'k'.repeat(40))])
        expect((await other.snapshots.lines('/f', tag, 1, 3)).size).toBe(0);
    });

    test('a page costs nothing while it is answered, two uses after that, and none when it is shown again', async () => {
      const one = replica('cost');
      await one.state.connected();
      const tag = one.snapshots.tag('/f', digest('beef'));
      for (let from = 1; from <= 401; from += 50) one.snapshots.see('/f', tag, numbered(from, from + 49));
      expect(uses(one)).toBe(0);
      await one.snapshots.flush();
      expect(uses(one)).toBe(2);
      await show(one, numbered(1, 450));
      expect(uses(one)).toBe(2);
      expect((await one.snapshots.lines('/f', tag, 1, 450)).size).toBe(450);
      expect(uses(one)).toBe(2);
    });

    test('what waits to be sent, and what one question asks for, is bounded', async () => {
      const one = replica('bounds');
      const large = one.snapshots.tag('/f', digest('beef'));
      one.snapshots.see('/f', large, [[1, 'x'.repeat(600 << 10)]]);
      await one.snapshots.flush();
      // A part of a file that is too large for one value is not sent.
      expect(uses(one)).toBe(0);
      const tag = one.snapshots.tag('/g', digest('beef'));
      for (let i = 0; i < 200; i += 1) one.snapshots.see('/g', tag, [[512 * i + 1, 'x\n']]);
      await one.snapshots.flush();
      expect(uses(one)).toBe(128);
      const before = uses(one);
      await one.snapshots.lines('/h', 'BEEF0000', 1, Number.MAX_SAFE_INTEGER);
      expect(uses(one) - before).toBe(8);
    });

    test('while the store is away each has what it has shown, and waits for nothing', async () => {
      const [one, two] = [replica('away'), replica('away')];
      const early = await show(one, numbered(1, 2));
      expect((await two.snapshots.lines('/f', early, 1, 2)).size).toBe(2);
      await made.server.kill(end);
      const tag = await show(one, numbered(3, 4));
      expect([...(await one.snapshots.lines('/f', tag, 1, 9))]).toEqual(numbered(1, 4));
      expect([...(await two.snapshots.lines('/f', tag, 1, 9))]).toEqual(numbered(1, 2));
      await made.server.restart();
      await expect.poll(() => one.state.stats().up).toBe(true);
      // What was not sent is sent with the next time that it is shown.
      await show(one, numbered(3, 4));
      await expect.poll(() => two.state.stats().up).toBe(true);
      expect((await two.snapshots.lines('/f', tag, 3, 4)).size).toBe(2);
    });
  });
}

test.runIf(has('redis'))(
  'what lies in the store expires, tells nothing, and is recalled unharmed or not at all',
  async () => {
    const server = await redisServer();
    const redis = (...args: string[]): string =>
      execFileSync('redis-cli', ['-p', String(server.port), ...args], { encoding: 'utf8' }).trim();
    const state = openState({ url: server.url, key, timeoutMs: 30_000 }) as SharedState;
    const open = (): SharedSnapshots => new SharedSnapshots(state.space('s'));
    const one = open();
    const tags = ['beef', 'dead'].map((start) => one.tag('/secret', digest(start)));
    for (const tag of tags) one.see('/secret', tag, [[1, `shown under ${tag}\n`]]);
    await one.close();
    const keys = redis('--scan', '--pattern', 'oriel:shown:*').split('\n');
    expect(keys.length).toBe(2);
    for (const at of keys) {
      expect(Number(redis('pttl', at))).toBeGreaterThan(0);
      expect(at + redis('get', at)).not.toMatch(/secret|BEEF|shown under/);
    }
    // Values that change places are under keys that are not theirs.
    const [a = '', b = ''] = keys;
    const [ofA, ofB] = [redis('get', a), redis('get', b)];
    redis('set', a, ofB);
    redis('set', b, ofA);
    const recalled = async (): Promise<number> =>
      (await Promise.all(tags.map((tag) => open().lines('/secret', tag, 1, 1)))).reduce(
        (n, { size }) => n + size,
        0,
      );
    expect(await recalled()).toBe(0);
    redis('set', a, ofA);
    expect(await recalled()).toBe(1);
    await state.close();
    await server.stop();
  },
);
