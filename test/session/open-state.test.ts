import { expect, test } from 'vitest';
import { createOriel } from '../../src/oriel.ts';
import { openState } from '../../src/session/shared.ts';

const key = 'k'.repeat(32);

test('a shared store needs a key and a known URL', () => {
  expect(() => openState({ url: 'redis://127.0.0.1:1' })).toThrow(
    'A shared state needs a key of at least 32',
  );
  expect(() => openState({ url: 'redis://127.0.0.1:1', key: 'short' })).toThrow('A shared state needs a key');
  expect(() => openState({ url: 'mysql://root:pass@db/x', key })).toThrow(
    'The state is file:, redis://HOST:PORT/NUMBER, rediss://, or postgres://HOST:PORT/DATABASE, not mysql:.',
  );
  expect(() => openState({ url: 'a secret that is no URL', key })).toThrow(/not what is no URL\.$/);
  for (const url of ['redis://127.0.0.1:1/abc', 'redis://127.0.0.1:1/0/1', 'postgres://h/a/b'])
    expect(() => openState({ url, key })).toThrow(/DATABASE\.$/);
  for (const url of [
    'redis://127.0.0.1:1',
    'redis://127.0.0.1:1/',
    'rediss://h/15',
    'postgres://h/db',
    'postgresql://h',
  ])
    expect(openState({ url, key })).toBeDefined();
  expect(() => openState({ url: 'redis://127.0.0.1:1', key, timeoutMs: 0 })).toThrow(
    'state.timeoutMs is above 0',
  );
  expect(openState({ url: 'file:' })).toBeUndefined();
});

test('the options of a host are checked like all others', () => {
  expect(() => createOriel({ state: { uri: 'redis://' } as never })).toThrow('There is no option state.uri.');
});
