import { expect, test } from 'vitest';
import type { Contents } from '../../../src/sources/archive/contents.ts';
import { Shelf } from '../../../src/sources/archive/shelf.ts';

const never = new AbortController().signal;

function contents(members: number): Contents {
  const list = Array.from({ length: members }, () => ({ name: 'x', type: 'file' as const }));
  return { format: 'tar', members: list, byPath: new Map(), sorted: [], odd: new Map() };
}

test('an index is made once, also for calls that come together', async () => {
  const shelf = new Shelf();
  let made = 0;
  const make = async (): Promise<Contents> => {
    made += 1;
    await new Promise((resolve) => setImmediate(resolve));
    return contents(3);
  };
  const all = await Promise.all([shelf.get('v', make, never), shelf.get('v', make, never)]);
  expect(all[0]).toBe(all[1]);
  expect(await shelf.get('v', make, never)).toBe(all[0]);
  expect(made).toBe(1);
});

test('a call that was ended takes no other with it', async () => {
  const shelf = new Shelf();
  const first = shelf.get('v', () => Promise.reject(new Error('ended')), never);
  const second = shelf.get('v', () => Promise.resolve(contents(1)), never);
  await expect(first).rejects.toThrow('ended');
  expect((await second).members.length).toBe(1);
});

test('what is kept is bounded by members; the least recently used goes first', async () => {
  const shelf = new Shelf();
  const made: string[] = [];
  const get = (version: string) =>
    shelf.get(version, () => (made.push(version), Promise.resolve(contents(100_000))), never);
  for (const version of ['a', 'b', 'a', 'c', 'a', 'b']) await get(version);
  expect(made).toEqual(['a', 'b', 'c', 'b']);
});
