/** One session, several calls: leftovers of one call never change the answer of another, and do not accumulate. */

import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { textOf, workspace } from '../support/workspace.ts';
import { zip } from '../support/zip.ts';

const many = (count: number, line: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => line(i)).join('');

const patient = { interval: 100 };

/** What is derived from a file that has only just been written is not kept. */
const settled = (): Promise<void> => sleep(30);

test('a directory and a nested archive are cached separately', async () => {
  const { write, text } = workspace();
  const inner = zip(Array.from({ length: 12 }, (_, i) => ({ name: `inner${i}.txt`, content: 'x' })));
  const outer = zip([
    { name: '3/a.txt', content: 'a' },
    { name: '3/b.txt', content: 'b' },
    { name: '3/c.txt', content: 'c' },
    { name: 'inner.zip', content: inner, method: 0 },
  ]);
  write('o.zip', outer);
  await settled();
  expect(await text('o.zip:3')).toBe('a.txt (1 B)\nb.txt (1 B)\nc.txt (1 B)\n');
  const listed = await text('o.zip:inner.zip:8..');
  expect(listed).toBe(await text('o.zip:inner.zip:8..', {}));
  expect(listed).toContain('inner7.txt');
});

test('an outline cut for one dialect serves no other', async () => {
  const { write, oriel, with: withOptions } = workspace();
  write(
    'big.md',
    many(1_800, (i) => `# heading ${i} of a long text\n\nwords\n`),
  );
  await settled();
  const zed = withOptions({ dialect: 'zed', session: oriel.session }).tool('read_file');
  const cut = async (): Promise<string> => textOf(await zed.run({ path: 'big.md', max_bytes: 4096 }));
  const whole = async (): Promise<string> =>
    textOf(await oriel.tool('read').run({ path: 'big.md:outline:1700..' }));
  await expect.poll(whole, patient).toContain('heading 1799 of');
  const shown = await whole();
  await expect.poll(cut, patient).toContain('# heading 0 of');
  expect(await cut()).not.toContain('heading 1700 of');
  expect(await whole()).toBe(shown);
});

test('after a parser timeout the next call parses again', async () => {
  const { write, text, oriel } = workspace();
  write(
    'f.ts',
    many(200, (i) => `export function f${i}() {\n  return ${i};\n}\n`),
  );
  await settled();
  // A busy moment: the time is up before a thread of the parser is free.
  const timeout = vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => AbortSignal.abort());
  onTestFinished(() => timeout.mockRestore());
  expect(await text('f.ts:outline:1..3')).toContain('parsing it took too long');
  const stats = () => oriel.session.store.stats().get('structure');
  expect(stats()).toMatchObject({ misses: 1, entries: 0 });
  timeout.mockRestore();
  await text('f.ts:outline:1..3');
  expect(stats()).toMatchObject({ misses: 2, hits: 0 });
});
