/** What a session keeps for its calls, and what is left when it ends. */

import { existsSync, rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import { memoryBytes } from '../../src/text/bytes.ts';
import { Identity } from '../../src/identity.ts';
import { nameCaller } from '../../src/queues/caller.ts';
import { createSession, type SessionOptions } from '../../src/session/session.ts';
import { keepOutput } from '../../src/session/snapshots.ts';
import type { Session } from '../../src/types/session.ts';
import { temporaryFolder } from '../support/commands.ts';
import { MemoryStore } from '../support/memory-store.ts';
import { call, noteOf } from '../support/telemetry.ts';

const digest = 'beef'.padEnd(64, '0');

function session(options: SessionOptions = {}): Session {
  return createSession({ spills: { state: temporaryFolder() }, ...options });
}

async function keep({ spills }: Session, text: string): Promise<{ url: string; path: string }> {
  const sink = spills.create();
  await sink.write(Buffer.from(text));
  return sink.finish();
}

test('a closed session leaves no output or file, refuses more', async () => {
  const one = session();
  const { path } = await keep(one, 'output\n');
  const file = await one.scratch();
  await file.append(Buffer.from('scratch'));
  await file.close();
  await one.close();
  expect(existsSync(path)).toBe(false);
  await expect(one.scratch()).rejects.toMatchObject({ code: 'CANCELLED' });
});

test('background work is cancelled with the session, its failure ignored', async () => {
  const one = session();
  let reason: unknown;
  one.background.start(
    (signal) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject((reason = signal.reason) as Error));
      }),
  );
  one.background.start(() => Promise.reject(new Error('failed')));
  await one.close();
  expect(reason).toMatchObject({ name: 'AbortError' });
  let began = false;
  one.background.start(() => {
    began = true;
    return Promise.resolve();
  });
  expect(began).toBe(false);
  await one.background.idle(60_000);
});

test('a call waits for background work as long as it may', async () => {
  const one = session();
  const steps: string[] = [];
  let end = (): void => undefined;
  const work = new Promise<void>((resolve) => (end = resolve)).then(() => void steps.push('done'));
  one.background.start(() => work);
  await one.background.idle(1);
  const stop = new AbortController();
  const stopped = one.background.idle(60_000, stop.signal);
  stop.abort();
  await stopped;
  await one.background.idle(60_000, stop.signal);
  steps.push('waited');
  const idle = one.background.idle(60_000).then(() => steps.push('idle'));
  await one.background.idle(1);
  end();
  await idle;
  expect(steps).toEqual(['waited', 'done', 'idle']);
  await one.close();
});

test('a text is kept once, and again when its output is gone', async () => {
  const one = session();
  const bytes = Buffer.alloc(600_000, 'a');
  const text = Identity.of('test', { name: 'text' });
  const kept = await keepOutput(bytes, text, one.spills);
  expect([kept.url, kept.bytes]).toEqual(['artifact://1', 600_000]);
  expect(await keepOutput(bytes, text, one.spills)).toBe(kept);
  rmSync(kept.path);
  expect((await keepOutput(bytes, text, one.spills)).url).toBe('artifact://2');
  await one.close();
});

test('derived values are disposed with the session, failures are reported', async () => {
  const told: unknown[] = [];
  const one = session({ onError: (error) => told.push(error), store: { memory: 1 << 20 } });
  const lost = new Error('EIO');
  const kind = { name: 'thing', weigh: () => ({ memory: 1 }), dispose: () => Promise.reject(lost) };
  const user = { signal: new AbortController().signal, progress: () => undefined, onEnd: () => undefined };
  const bytes = memoryBytes('x', Identity.of('test', { name: 'x' }));
  let end: (() => void | Promise<void>) | undefined;
  one.store.getNow(kind, bytes, {}, () => 'value', {
    ...user,
    onEnd: (done: () => void) => void (end = done),
  } as never);
  await end?.();
  expect(told).toEqual([]);
  await one.close();
  expect(told).toEqual([lost]);
});

test('calls are recorded in memory unless that is turned off', async () => {
  const one = session({ telemetry: { task: 'mine' } });
  one.telemetry?.record(noteOf(call({ bytes: 100 }), undefined), undefined);
  expect(await one.telemetry?.totals({})).toMatchObject({ id: 'mine', calls: 1, bytes: 100 });
  await one.close();
  const other = session({ telemetry: false });
  expect([other.telemetry, other.disk, other.work]).toEqual([undefined, undefined, undefined]);
  await other.close();
});

test('replicas with one store share outputs, snapshots, versions and totals', async () => {
  const store = new MemoryStore();
  const alice = (): object => {
    const caller = {};
    nameCaller(caller, { name: 'alice', isGuess: false });
    return caller;
  };
  let closed = 0;
  const replica = (): Session => {
    const space = store.replica().space('team');
    const close = (): Promise<void> => Promise.resolve(void (closed += 1));
    return session({ state: { space, spaceOf: () => space, close } });
  };
  const [one, two] = [replica(), replica()];
  const { url } = await keep(one, 'output\n');
  expect((await two.spills.open(Number(url.slice('artifact://'.length)))).file.size).toBe(7);
  const tag = one.snapshots.tag('/f', digest);
  one.snapshots.see('/f', tag, [[1, 'shown\n']]);
  await one.seen.saw(alice(), 'page', 'v1');
  one.telemetry?.record(noteOf(call({ bytes: 100 }), 'task', alice()), undefined);
  await one.close();
  expect([...(await two.snapshots.lines('/f', tag, 1, 1))]).toEqual([[1, 'shown\n']]);
  expect(await two.seen.last(alice(), 'page')).toEqual({ shared: 'v1' });
  const caller = alice();
  two.telemetry?.record(noteOf(call({ bytes: 10 }), 'task', caller), undefined);
  expect(await two.telemetry?.totals({ task: 'task', caller })).toMatchObject({ calls: 2, bytes: 110 });
  await two.close();
  expect(closed).toBe(2);
});

test('clients without a name share outputs only by number', async () => {
  const store = new MemoryStore();
  const replica = (unlisted: string): Session =>
    session({ state: { space: store.replica().space('nameless'), unlisted } });
  const [one, two] = [replica('one'), replica('two')];
  const { url } = await keep(one, 'output\n');
  expect(url).toMatch(/^artifact:\/\/\d{15}$/);
  expect((await two.spills.open(Number(url.slice('artifact://'.length)))).file.size).toBe(7);
  expect([one.spills.list(), two.spills.list()]).toEqual([[], []]);
  const tag = one.snapshots.tag('/f', digest);
  one.snapshots.see('/f', tag, [[1, 'shown\n']]);
  await one.close();
  expect((await two.snapshots.lines('/f', tag, 1, 1)).size).toBe(0);
  await two.close();
});
