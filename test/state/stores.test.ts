/** Each kind of store is held to the same: what a session sees of it, whatever happens to the store. */

import { spawn } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openState } from '../../src/state/open-state.ts';
import { SharedStore } from '../../src/state/shared-state.ts';
import { backends } from '../../src/state/backends.ts';
import { Seal } from '../../src/state/sealed.ts';
import type { SharedState, StateBackend, StateName } from '../../src/types/state.ts';
import { builtUrl } from '../support/built.ts';
import { temporaryFolder } from '../support/commands.ts';
import { has } from '../support/has.ts';
import { postgresServer, redisServer, type StoreServer } from '../support/stores.ts';

const key = 'the key of one operator, and no other';
const name: StateName = { kind: 'cache', of: ['a'] };
const other: StateName = { kind: 'cache', of: ['b'] };
const text = (value: unknown): unknown => (Buffer.isBuffer(value) ? value.toString() : value);

const kinds = [
  { kind: 'redis', start: redisServer, end: 'SIGKILL' },
  { kind: 'postgres', start: postgresServer, end: 'SIGQUIT' },
] as const;

for (const { kind, start, end } of kinds) {
  describe.runIf(has(kind))(kind, () => {
    let server: StoreServer;
    const opened: SharedState[] = [];
    const state = (secret = key): SharedState => {
      const made = openState({ url: server.url, key: secret, timeoutMs: 30_000 }) as SharedState;
      opened.push(made);
      return made;
    };
    /** The store without a seal, as one who can write to it has it. */
    const raw = (): Promise<StateBackend> =>
      (backends[`${kind}:`] as { open: (o: object) => Promise<StateBackend> }).open({
        url: server.url,
        timeoutMs: 30_000,
      });

    beforeAll(async () => {
      server = await start();
    });
    afterAll(async () => {
      await Promise.all(opened.map((one) => one.close()));
      await server.stop();
    });

    test('what one replica puts another one gets, and removes', async () => {
      const [one, two] = [state().space('s'), state().space('s')];
      expect(await one.get(name)).toBeUndefined();
      expect(await one.put(name, Buffer.from('value'), 60_000)).toBe(true);
      expect(text(await two.get(name))).toBe('value');
      await two.remove(name);
      expect(await one.get(name)).toBeUndefined();
    });

    test('what comes at once with the first use waits for the connection like that one', async () => {
      const space = state().space('first');
      const given = await Promise.all(Array.from({ length: 20 }, () => space.get(name)));
      expect(given).toEqual(Array.from({ length: 20 }, () => undefined));
    });

    test('a program that does not close it ends all the same', async () => {
      const cwd = temporaryFolder();
      const program = `
        import { createOriel } from ${JSON.stringify(builtUrl('index.js').href)};
        const state = { url: ${JSON.stringify(server.url)}, key: ${JSON.stringify(key)}, timeoutMs: 30000 };
        const oriel = createOriel({ cwd: ${JSON.stringify(cwd)}, state });
        const { details } = await oriel.tool('bash').run({ command: 'seq 100000' });
        process.stdout.write(String(details.output.unshared));
      `;
      const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let out = '';
      child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
      const code = await new Promise((resolve) => void child.once('close', resolve));
      expect([code, out]).toEqual([0, 'undefined']);
    });

    test('spaces and operators do not see each other', async () => {
      const one = state().space('client alice');
      await one.put(name, Buffer.from('hers'), 60_000);
      expect(await state().space('client bob').get(name)).toBeUndefined();
      expect(
        await state('the key of some other operator, 37 c').space('client alice').get(name),
      ).toBeUndefined();
    });

    test('values expire', async () => {
      const space = state().space('expiry');
      await space.put(name, Buffer.from('value'), 1);
      await expect.poll(() => space.get(name)).toBeUndefined();
    });

    test('numbers are given once, however many ask, and begin where they are told', async () => {
      const spaces = [state().space('numbers'), state().space('numbers')];
      const given = await Promise.all(
        Array.from({ length: 40 }, (_, i) => spaces[i % 2]?.add({ kind: 'number', of: [] }, 1, 700, 60_000)),
      );
      expect(given.toSorted((a, b) => Number(a) - Number(b))).toEqual(
        Array.from({ length: 40 }, (_, i) => 701 + i),
      );
    });

    test('a counter that holds garbage begins anew, and the store counts as there', async () => {
      const backend = await raw();
      let at = '';
      const watched = new SharedStore({
        seal: new Seal(Buffer.from(key)),
        timeoutMs: 30_000,
        open: async () => ({
          ...backend,
          add: (counter: string, ...more: [number, number, number]) => backend.add((at = counter), ...more),
        }),
      });
      const number: StateName = { kind: 'number', of: [] };
      const add = () => watched.space('garbage').add(number, 1, 700, 60_000);
      expect([await add(), await add()]).toEqual([701, 702]);
      for (const garbage of ['', 'oriel-1.', '1.5', '9'.repeat(18), '9'.repeat(30), 'x'.repeat(1 << 20)]) {
        await backend.set(at, garbage, 60_000);
        const given = await Promise.all([add(), add()]);
        expect([garbage.slice(0, 8), ...given.toSorted()]).toEqual([garbage.slice(0, 8), 701, 702]);
      }
      expect(watched.stats()).toMatchObject({ up: true, outages: 0 });
      await watched.close();
    });

    test('forged, swapped and foreign values are not there', async () => {
      const seen: [string, string][] = [];
      const backend = await raw();
      const watched = new SharedStore({
        seal: new Seal(Buffer.from(key)),
        timeoutMs: 30_000,
        open: async () => ({
          ...backend,
          set: async (at: string, value: string, ttl: number) => {
            seen.push([at, value]);
            await backend.set(at, value, ttl);
          },
        }),
      });
      const space = watched.space('forged');
      await space.put(name, Buffer.from('of a'), 60_000);
      await space.put(other, Buffer.from('of b'), 60_000);
      const [[keyA, sealedA], [keyB, sealedB]] = seen as [[string, string], [string, string]];
      await backend.set(keyA, sealedB, 60_000);
      await backend.set(keyB, sealedA, 60_000);
      expect([await space.get(name), await space.get(other)]).toEqual([undefined, undefined]);
      for (const garbage of ['', 'oriel-1.', '{"value":1}', 'x'.repeat(5 << 20), sealedA.slice(0, -8)]) {
        await backend.set(keyA, garbage, 60_000);
        expect(await space.get(name)).toBeUndefined();
      }
      await backend.set(keyA, sealedA, 60_000);
      expect(text(await space.get(name))).toBe('of a');
      expect(watched.stats().operations.get('get')).toMatchObject({ refused: 7 });
      await watched.close();
    });

    test('a value that is too large is not put', async () => {
      const space = state().space('large');
      expect(await space.put(name, Buffer.alloc((2 << 20) + 1), 60_000)).toBe(false);
      expect(await space.put(name, Buffer.alloc(2 << 20, 1), 60_000)).toBe(true);
      expect(((await space.get(name)) as Buffer).equals(Buffer.alloc(2 << 20, 1))).toBe(true);
    });

    test('a store that dies is away at once, and comes back without a call that waits', async () => {
      const shared = state();
      const changes: (readonly [boolean, string])[] = [];
      shared.onChange((up, why) => changes.push([up, why]));
      const space = shared.space('dies');
      await space.put(name, Buffer.from('value'), 60_000);
      await server.kill(end);
      expect(await space.get(name)).toBe('away');
      expect(await space.put(name, Buffer.from('value'), 60_000)).toBe(false);
      expect(await space.add(name, 1, 0, 60_000)).toBe('away');
      expect(shared.stats()).toMatchObject({ up: false, outages: 1 });
      await server.restart();
      await expect.poll(() => shared.stats().up).toBe(true);
      expect(await space.put(name, Buffer.from('again'), 60_000)).toBe(true);
      expect(text(await space.get(name))).toBe('again');
      expect(changes.map(([up]) => up)).toEqual([false, true]);
      expect(changes[0]?.[1]).not.toContain('127.0.0.1');
    });
  });
}

test.runIf(has('redis'))(
  'a store that takes and never answers is away after the timeout, and for nobody else',
  async () => {
    const server = await redisServer();
    const shared = openState({ url: server.url, key, timeoutMs: 300 }) as SharedState;
    const space = shared.space('frozen');
    await expect.poll(() => space.put(name, Buffer.from('value'), 60_000)).toBe(true);
    server.freeze();
    expect(await space.get(name)).toBe('away');
    // Not asked any more: a hundred more come back although each of them would wait.
    expect(new Set(await Promise.all(Array.from({ length: 100 }, () => space.get(name))))).toEqual(
      new Set(['away']),
    );
    expect(shared.stats().outages).toBe(1);
    server.thaw();
    await expect.poll(() => shared.stats().up).toBe(true);
    expect(text(await space.get(name))).toBe('value');
    await shared.close();
    await server.stop();
  },
);

test.runIf(has('redis'))(
  'a password that is wrong, and a store that is full, are said by code alone',
  async () => {
    const server = await redisServer(['--requirepass', 'hunter2', '--maxmemory', '2mb']);
    const why: string[] = [];
    const open = (password: string): SharedState => {
      const url = server.url.replace('redis://', `redis://:${password}@`);
      const shared = openState({ url, key, timeoutMs: 30_000 }) as SharedState;
      shared.onChange((up, reason) => void (up || why.push(reason)));
      return shared;
    };
    const [wrong, right] = [open('hunter3'), open('hunter2')];
    expect(await wrong.space('s').get(name)).toBe('away');
    const full = right.space('s');
    expect(await full.put(name, Buffer.alloc(2 << 20), 60_000)).toBe(false);
    expect(why.join(' ')).not.toMatch(/hunter|127/);
    expect(why).toEqual(expect.arrayContaining(['OOM', 'WRONGPASS']));
    await Promise.all([wrong.close(), right.close()]);
    await server.stop();
  },
);
