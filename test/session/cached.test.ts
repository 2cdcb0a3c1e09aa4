import { expect, test } from 'vitest';
import { createSession } from '../../src/session/session.ts';

const MIB = 1 << 20;

test('a weighed thing pushes out older ones of its kind, and one over the limit is not kept', async () => {
  const session = createSession();
  const made: string[] = [];
  const get = (key: string, bytes: number) =>
    session.cached(
      'text',
      key,
      () => {
        made.push(key);
        return Promise.resolve({ bytes });
      },
      (thing) => thing.bytes,
    );
  for (const key of ['a', 'b', 'a', 'b']) await get(key, 30 * MIB);
  expect(made).toEqual(['a', 'b']);
  await get('c', 30 * MIB);
  await get('b', 30 * MIB);
  await get('a', 30 * MIB);
  expect(made).toEqual(['a', 'b', 'c', 'a']);
  await get('huge', 65 * MIB);
  await get('huge', 65 * MIB);
  expect(made).toEqual(['a', 'b', 'c', 'a', 'huge', 'huge']);
});

test('calls that come together make a thing once', async () => {
  const session = createSession();
  let made = 0;
  const get = () => session.cached('text', 'a', () => Promise.resolve({ made: (made += 1) }));
  const [one, other] = await Promise.all([get(), get()]);
  expect(one).toBe(other);
  expect(await get()).toBe(one);
  expect(made).toBe(1);
});

test('a failure is not kept', async () => {
  const session = createSession();
  await expect(session.cached('text', 'a', () => Promise.reject(new Error('once')))).rejects.toThrow('once');
  expect(await session.cached('text', 'a', () => Promise.resolve({ ok: true }))).toEqual({ ok: true });
});

test('a call that waits for what another one began and gave up makes it itself', async () => {
  const session = createSession();
  let giveUp: (reason: Error) => void = () => undefined;
  const first = session.cached('kind', 'key', () => new Promise<object>((_, reject) => (giveUp = reject)));
  const second = session.cached('kind', 'key', () => Promise.resolve({ made: 'anew' }));
  giveUp(new Error('cancelled'));
  await expect(first).rejects.toThrow('cancelled');
  expect(await second).toEqual({ made: 'anew' });
});
