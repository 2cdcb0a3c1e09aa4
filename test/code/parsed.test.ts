/** The threads that make tags of code files. */

import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { languageOf } from '../../src/code/languages.ts';
import { endTagParsers, tagsOf } from '../../src/code/parsed.ts';

const threads = (): number => readdirSync('/proc/self/task').length;

test.skipIf(process.platform !== 'linux')(
  'idle parsers end when told, and others parse later files',
  async () => {
    const language = languageOf('a.py', '');
    if (!language) throw new Error('no language');
    const file = { bytes: Buffer.from('def one():\n    return 1\n'), language };
    const tagged = (): ReturnType<typeof tagsOf> =>
      tagsOf([file], performance.now() + 60_000, new AbortController().signal);
    const first = await tagged();
    expect(first).toMatchObject({ late: [] });
    const before = threads();
    await endTagParsers();
    expect(threads()).toBeLessThan(before);
    expect(await tagged()).toEqual(first);
  },
);

test('files not parsed within their own time are not answered', async () => {
  const language = languageOf('a.ts', '');
  if (!language) throw new Error('no language');
  const file = { bytes: Buffer.from('export function one(): void {}\n'.repeat(20_000)), language };
  const { signal } = new AbortController();
  const found = await tagsOf([file], performance.now() + 60_000, signal, { within: 1 });
  expect('none' in found ? found : found.tags.known.length).toEqual('none' in found ? { none: 'time' } : 0);
});
