/**
 * Each kind of store is held to the same: what a session sees of it, whatever happens to the store.
 *
 * @module-tag slow
 */

import { execFileSync, spawn } from 'node:child_process';
import { connect, createServer, type Socket } from 'node:net';
import pg from 'pg';
import { afterAll, describe, expect, test } from 'vitest';
import { openStore, backends } from '../../../packages/scale/src/state/store.ts';
import { SharedStore, ValueSeal } from '../../../packages/scale/src/state/shared-state.ts';
import { MAX_SEALED_VALUE_CHARACTERS } from '../../../packages/scale/src/state/values.ts';
import type { SharedState, StateBackend, StateChange, StateName } from '../../../src/types/state.ts';
import { builtUrl } from '../../support/built.ts';
import { temporaryFolder } from '../../support/commands.ts';
import { has } from '../../support/has.ts';
import { postgresServer, redisServer, storeForAll, storeKinds } from '../../support/stores.ts';
import '../../support/scale.ts';

const key = 'the key of one operator, and no other';
const name: StateName = { kind: 'cache', of: ['a'] };
const other: StateName = { kind: 'cache', of: ['b'] };
const text = (value: unknown): unknown => (Buffer.isBuffer(value) ? value.toString() : value);

const storeAt = (url: string, secret = key, timeoutMs = 30_000): SharedState =>
  openStore({ url, key: secret, timeoutMs }) as SharedState;

const over = (backend: StateBackend, atOnce?: number): SharedStore =>
  new SharedStore({
    seal: new ValueSeal(Buffer.from(key)),
    timeoutMs: 30_000,
    open: () => Promise.resolve(backend),
    ...(atOnce === undefined ? {} : { atOnce }),
  });

for (const { kind, start, end } of storeKinds) {
  describe.runIf(has(kind))(kind, () => {
    const made = storeForAll(start);
    const opened: SharedState[] = [];
    const state = (secret = key): SharedState => {
      const one = storeAt(made.server.url, secret);
      opened.push(one);
      return one;
    };
    /** The store without a seal, as one who can write to it has it. */
    const raw = (): Promise<StateBackend> =>
      (backends[`${kind}:`] as { open: (o: object) => Promise<StateBackend> }).open({
        url: made.server.url,
        timeoutMs: 30_000,
      });

    afterAll(() => Promise.all(opened.map((one) => one.close())));

    test('what one replica puts another one gets, and removes', { tags: 'slow' }, async () => {
      const [one, two] = [state().space('s'), state().space('s')];
      expect(await one.get(name)).toBeUndefined();
      expect(await one.put(name, Buffer.from('value'), 60_000)).toBe(true);
      expect(text(await two.get(name))).toBe('value');
      await two.remove(name);
      expect(await one.get(name)).toBeUndefined();
    });

    test('calls concurrent with the first wait for the connection too', async () => {
      const space = state().space('first');
      const given = await Promise.all(Array.from({ length: 20 }, () => space.get(name)));
      expect(given).toEqual(Array.from({ length: 20 }, () => undefined));
    });

    test('an open state does not keep the process alive', { tags: 'slow' }, async () => {
      const cwd = temporaryFolder();
      const program = `
        import { createOriel } from ${JSON.stringify(builtUrl('index.js').href)};
        const state = { url: ${JSON.stringify(made.server.url)}, key: ${JSON.stringify(key)}, timeoutMs: 30000 };
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

    test('spaces and operators are isolated from each other', async () => {
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

    test('concurrent numbers are unique and start at the given value', async () => {
      const spaces = [state().space('numbers'), state().space('numbers')];
      const given = await Promise.all(
        Array.from({ length: 40 }, (_, i) => spaces[i % 2]?.add({ kind: 'number', of: [] }, 1, 700, 60_000)),
      );
      expect(given.toSorted((a, b) => Number(a) - Number(b))).toEqual(
        Array.from({ length: 40 }, (_, i) => 701 + i),
      );
    });

    test('an invalid counter restarts, and the store stays available', async () => {
      const backend = await raw();
      let at = '';
      const watched = over({
        ...backend,
        add: (counter: string, ...more: [number, number, number]) => backend.add((at = counter), ...more),
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

    test('concurrent operations are limited; the store stays available', { tags: 'slow' }, async () => {
      const backend = await raw();
      let [running, most] = [0, 0];
      const get = async (at: string): Promise<string | undefined> => {
        most = Math.max(most, (running += 1));
        return backend.get(at).finally(() => (running -= 1));
      };
      const busy = over({ ...backend, get }, 8);
      const spaces = [busy.space('one client'), busy.space('another')] as const;
      const found = await Promise.all(
        Array.from({ length: 1_000 }, (_, i) => spaces[i % 2]?.get({ kind: 'spill', of: [i] })),
      );
      expect(new Set(found)).toEqual(new Set([undefined]));
      expect([most, busy.stats().outages]).toEqual([8, 0]);
      await busy.close();
    });

    test('only the start of a too large value is fetched', { tags: 'slow' }, async () => {
      const backend = await raw();
      let at = '';
      const watched = over({
        ...backend,
        set: (to: string, ...more: [string, number]) => backend.set((at = to), ...more),
      });
      const space = watched.space('huge');
      await space.put(name, Buffer.from('value'), 60_000);
      await backend.set(at, 'x'.repeat(32 << 20), 60_000);
      expect((await backend.get(at))?.length).toBe(MAX_SEALED_VALUE_CHARACTERS + 1);
      expect(await space.get(name)).toBeUndefined();
      expect(watched.stats()).toMatchObject({ up: true, outages: 0 });
      await watched.close();
    });

    test('a value that is too large is not stored', { tags: 'slow' }, async () => {
      const space = state().space('large');
      expect(await space.put(name, Buffer.alloc((2 << 20) + 1), 60_000)).toBe(false);
      expect(await space.put(name, Buffer.alloc(2 << 20, 1), 60_000)).toBe(true);
      expect(((await space.get(name)) as Buffer).equals(Buffer.alloc(2 << 20, 1))).toBe(true);
    });

    test('a killed store is away immediately and comes back unasked', { tags: 'slow' }, async () => {
      const shared = state();
      const changes: StateChange[] = [];
      shared.onChange((change) => void changes.push(change));
      const space = shared.space('dies');
      await space.put(name, Buffer.from('value'), 60_000);
      await made.server.kill(end);
      expect(await space.get(name)).toBe('away');
      expect(await space.put(name, Buffer.from('value'), 60_000)).toBe(false);
      expect(await space.add(name, 1, 0, 60_000)).toBe('away');
      expect(shared.stats()).toMatchObject({ up: false, outages: 1 });
      await made.server.restart();
      await expect.poll(() => shared.stats().up).toBe(true);
      expect(await space.put(name, Buffer.from('again'), 60_000)).toBe(true);
      expect(text(await space.get(name))).toBe('again');
      expect(changes.map(({ kind }) => kind)).toEqual(['away', 'back']);
      expect(JSON.stringify(changes)).not.toContain('127.0.0.1');
    });
  });
}

test.runIf(has('redis'))(
  'a store that never answers is away after the timeout',
  { tags: 'slow' },
  async () => {
    const server = await redisServer();
    const shared = storeAt(server.url, key, 300);
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

test.runIf(has('redis'))('a wrong password and a full store show codes alone', { tags: 'slow' }, async () => {
  const server = await redisServer(['--requirepass', 'hunter2', '--maxmemory', '2mb']);
  const why: StateChange[] = [];
  const open = (password: string): SharedState => {
    const url = server.url.replace('redis://', `redis://:${password}@`);
    const shared = storeAt(url);
    shared.onChange((change) => void why.push(change));
    return shared;
  };
  const [wrong, right] = [open('hunter3'), open('hunter2')];
  expect(await wrong.space('s').get(name)).toBe('away');
  const full = right.space('s');
  expect(await full.put(name, Buffer.from('small'), 60_000)).toBe(true);
  for (let i = 0; i < 3; i += 1) {
    expect(await full.put(other, Buffer.alloc(2 << 20), 60_000)).toBe(false);
    // It is full, and there: what lies in it is read.
    expect(text(await full.get(name))).toBe('small');
  }
  expect(right.stats()).toMatchObject({ up: true, outages: 0 });
  expect(JSON.stringify(why)).not.toMatch(/hunter|127/);
  expect(why).toEqual([
    { kind: 'away', why: 'WRONGPASS' },
    { kind: 'refused', why: 'OOM' },
  ]);
  await Promise.all([wrong.close(), right.close()]);
  await server.stop();
});

test.runIf(has('redis'))(
  'a value of another type is missing; the store remains',
  { tags: 'slow' },
  async () => {
    const server = await redisServer();
    const redis = (...args: string[]): string =>
      execFileSync('redis-cli', ['-p', String(server.port), ...args], { encoding: 'utf8' }).trim();
    const shared = storeAt(server.url);
    const space = shared.space('types');
    await space.put(name, Buffer.from('value'), 60_000);
    const [at = ''] = redis('--scan', '--pattern', 'oriel:cache:*').split('\n');
    for (const [command, ...more] of [
      ['lpush', 'x'],
      ['sadd', 'x'],
      ['hset', 'x', 'y'],
      ['zadd', '1', 'x'],
      ['xadd', '*', 'x', 'y'],
    ] as const) {
      redis('del', at);
      redis(command, at, ...more);
      expect([command, await space.get(name)]).toEqual([command, undefined]);
      expect([command, await space.put(other, Buffer.from('other'), 60_000)]).toEqual([command, true]);
    }
    // What is put again is there again.
    expect(await space.put(name, Buffer.from('again'), 60_000)).toBe(true);
    expect(text(await space.get(name))).toBe('again');
    expect(shared.stats()).toMatchObject({ up: true, outages: 0 });
    await shared.close();
    await server.stop();
  },
);

test.runIf(has('redis'))('a slow store that answers in time stays available', { tags: 'slow' }, async () => {
  const server = await redisServer();
  const proxy = await slowProxy(server.port, 150);
  const shared = storeAt(`redis://127.0.0.1:${proxy.port}`);
  const space = shared.space('slow');
  const names = Array.from({ length: 20 }, (_, i): StateName => ({ kind: 'cache', of: [i] }));
  await Promise.all(names.map((at, i) => space.put(at, Buffer.from(`value ${i}`), 60_000)));
  expect((await Promise.all(names.map((at) => space.get(at)))).map(text)).toEqual(
    names.map((_, i) => `value ${i}`),
  );
  expect(shared.stats()).toMatchObject({ up: true, outages: 0 });
  await shared.close();
  proxy.close();
  await server.stop();
});

describe.runIf(has('postgres'))('the table of PostgreSQL', () => {
  const made = storeForAll(postgresServer);
  const asAdmin = async <T>(act: (client: pg.Client) => Promise<T>): Promise<T> => {
    const client = new pg.Client({ connectionString: made.server.url });
    await client.connect();
    return act(client).finally(() => client.end());
  };

  test('a role limited to the table works, without table not', async () => {
    await asAdmin((admin) =>
      admin.query('CREATE ROLE reader LOGIN; REVOKE CREATE ON SCHEMA public FROM PUBLIC'),
    );
    const url = made.server.url.replace('oriel@', 'reader@');
    const why: StateChange[] = [];
    const open = (as: string): SharedState => {
      const shared = storeAt(as);
      shared.onChange((change) => void why.push(change));
      return shared;
    };
    const early = open(url);
    expect(await early.space('s').get(name)).toBe('away');
    expect(why).toEqual([{ kind: 'away', why: '42501' }]);
    const owner = open(made.server.url);
    expect(await owner.space('s').put(name, Buffer.from('value'), 60_000)).toBe(true);
    await asAdmin((admin) => admin.query('GRANT SELECT, INSERT, UPDATE, DELETE ON oriel_state TO reader'));
    const later = open(url);
    expect(text(await later.space('s').get(name))).toBe('value');
    expect(await later.space('s').add({ kind: 'number', of: [] }, 1, 700, 60_000)).toBe(701);
    // An answer with an error is one use that failed.
    await asAdmin((admin) => admin.query('REVOKE INSERT ON oriel_state FROM reader'));
    expect(await later.space('s').put(other, Buffer.from('value'), 60_000)).toBe(false);
    expect(text(await later.space('s').get(name))).toBe('value');
    expect(later.stats()).toMatchObject({ up: true, outages: 0 });
    await Promise.all([early, owner, later].map((shared) => shared.close()));
  });

  test('expired rows are removed by writes and the store’s clock', { tags: 'slow' }, async () => {
    const shared = storeAt(made.server.url);
    const space = shared.space('sweep');
    await space.put({ kind: 'cache', of: ['short'] }, Buffer.from('x'), 1);
    // A replica whose clock is a day ahead.
    const real = Date.now;
    Date.now = () => real() + 86_400_000;
    try {
      for (let i = 0; i < 1_000; i += 1) await space.put(name, Buffer.from(`${i}`), 60_000);
      expect(text(await space.get(name))).toBe('999');
    } finally {
      Date.now = real;
    }
    const expired = (): Promise<number> =>
      asAdmin(async (admin) => {
        const sql = 'SELECT 1 FROM oriel_state WHERE expires < extract(epoch FROM now()) * 1000';
        return (await admin.query(sql)).rows.length;
      });
    await expect.poll(expired).toBe(0);
    expect(text(await space.get(name))).toBe('999');
    await shared.close();
  });
});

/** Hands on what comes from the store `ms` milliseconds later. */
async function slowProxy(port: number, ms: number): Promise<{ readonly port: number; close(): void }> {
  const sockets = new Set<Socket>();
  const proxy = createServer((client) => {
    const upstream = connect(port, '127.0.0.1');
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => void [client, upstream].map((one) => one.destroy()));
    }
    client.on('data', (bytes) => void upstream.write(bytes));
    upstream.on('data', (bytes) => void setTimeout(() => void (client.destroyed || client.write(bytes)), ms));
  });
  await new Promise<void>((resolve) => void proxy.listen(0, '127.0.0.1', resolve));
  return {
    port: (proxy.address() as { port: number }).port,
    close() {
      proxy.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
