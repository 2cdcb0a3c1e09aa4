/** One session, several calls: leftovers of one call never change the answer of another, and do not accumulate. */

import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createSession } from '../../src/session/session.ts';
import { bytesHeld } from '../support/memory.ts';
import { textOf, workspace } from '../support/workspace.ts';
import { zip } from '../support/zip.ts';

const many = (count: number, line: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => line(i)).join('');

const MIB = 1 << 20;

const patient = { timeout: 60_000, interval: 100 };

/** What is derived from a file that has only just been written is not kept. */
const settled = (): Promise<void> => sleep(30);

test(
  'outlines are weighed by their content and stay within the budget',
  { tags: 'slow', timeout: 120_000 },
  async () => {
    const { write, with: withOptions } = workspace();
    const session = createSession({ store: { memory: 10 * MIB } });
    onTestFinished(() => session.close());
    const read = withOptions({ session }).tool('read');
    const outline = async (name: string): Promise<string> =>
      textOf(await read.run({ path: `${name}:outline:1..5` }));
    const record = (i: number): string =>
      `  "key${i}": {\n    "name": "value ${i}",\n    "count": ${i},\n    "tags": ["a", "b"]\n  },\n`;
    const records = many(1_200, record);
    const names = Array.from({ length: 60 }, (_, i) => `j${i}.json`);
    for (const [i, name] of names.entries()) write(name, `{\n${records}  "last": ${i}\n}\n`);
    // What is loaded once is not held by an outline.
    write('first.json', '{\n  "first": 1\n}\n');
    await expect.poll(() => outline('first.json'), patient).toContain('[L2] first');
    await settled();
    const before = bytesHeld();
    for (const [i, name] of names.entries()) {
      // A machine under load may take too long for it: then it is asked again.
      await expect.poll(() => outline(name), patient).toContain('[L2-6] key0');
      if (i !== 19) continue;
      const stats = session.store.stats();
      const weightOf = (kind: string): number => stats.get(kind)?.weight.memory ?? 0;
      const weight = weightOf('structure') + weightOf('outline');
      const held = bytesHeld() - before;
      expect(weight).toBeGreaterThan(held / 3);
      expect(weight).toBeLessThan(held * 2);
    }
    // All sixty are 24 MB. What is held is a fifth more than its weight, and some garbage is only collected later.
    await expect.poll(() => bytesHeld() - before, patient).toBeLessThan(16 * MIB);
  },
);

test('a directory in an archive and a nested archive have separate cache entries', async () => {
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

test('an outline truncated for one dialect is not used for another', async () => {
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
}, 120_000);

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
