/** Lines that stand behind a path, where a dialect has fields of its own for them. */

import { describe, expect, test } from 'vitest';
import { numbered, place } from '../support/dialect.ts';

/** The fields that ask for the same, by dialect and tool. */
const fields = [
  ['pi', 'read', (from: number, to: number) => ({ offset: from, limit: to - from + 1 })],
  ['pi@0.74', 'read', (from: number, to: number) => ({ offset: from, limit: to - from + 1 })],
  ['zdx', 'read', (from: number, to: number) => ({ offset: from, limit: to - from + 1 })],
  ['zed', 'read_file', (from: number, to: number) => ({ start_line: from, end_line: to })],
  ['coder', 'read_file', (from: number, to: number) => ({ offset: from, limit: to - from + 1 })],
] as const;

describe.each(fields)('%s %s', (dialect, tool, linesOf) => {
  test.each([
    [':30-34', 30, 34],
    [':L30-L34', 30, 34],
    [':30..34', 30, 34],
    ['#L30-L34', 30, 34],
    [' lines 30-34', 30, 34],
    [':30+5', 30, 34],
  ])('%j', async (behind, from, to) => {
    const { folder, write, call } = place(dialect);
    write('src/a.txt', numbered(1, 100));
    const path = dialect === 'coder' ? `${folder}/src/a.txt` : 'src/a.txt';
    const { text, isError } = await call(tool, { path: path + behind });
    expect(isError).toBe(false);
    expect(text).toBe((await call(tool, { path, ...linesOf(from, to) })).text);
  });

  test.each([':30:5', '#L30', '(30,5)'])(
    'one place, %j: the lines around it, or from it on where none has a number',
    async (behind) => {
      const { folder, write, call } = place(dialect);
      write('src/a.txt', numbered(1, 100));
      const path = dialect === 'coder' ? `${folder}/src/a.txt` : 'src/a.txt';
      const { text, isError } = await call(tool, { path: path + behind });
      expect(isError).toBe(false);
      const from = /^(?:pi|zed)/.test(dialect) ? 30 : 20;
      expect(text).toBe((await call(tool, { path, ...linesOf(from, 70) })).text);
    },
  );

  test('fields that ask for lines too are not overruled: the path is refused, and one that works is named', async () => {
    const { folder, write, call } = place(dialect);
    write('src/a.txt', numbered(1, 100));
    const path = dialect === 'coder' ? `${folder}/src/a.txt` : 'src/a.txt';
    const { text, isError } = await call(tool, { path: `${path}:30:5`, ...linesOf(7, 9) });
    expect(isError).toBe(true);
    expect(text).toContain(dialect === 'coder' ? 'file does not exist' : 'Did you mean src/a.txt?');
  });

  test('a file of that very name wins, and what has no lines is refused as before', async () => {
    const { folder, write, call } = place(dialect);
    write('src/a.txt', numbered(1, 100));
    write('src/a.txt:3-5', 'of that name\n');
    const path = dialect === 'coder' ? `${folder}/src/a.txt` : 'src/a.txt';
    expect((await call(tool, { path: `${path}:3-5` })).text).toContain('of that name');
    for (const behind of [':-5', ':@10+5', ':raw', ':#name', ':1-2,5-6', ':nothing'])
      expect((await call(tool, { path: path + behind })).isError).toBe(true);
  });
});

test('zdx says the path that was read and not the one that was typed', async () => {
  const { folder, write, call } = place('zdx');
  write('src/my file.md', 'a\n');
  for (const path of [
    '"src/my file.md"',
    'src/my\\ file.md',
    '@src/my file.md',
    'src/../src/my file.md',
    `${folder}/src/my file.md`,
    'src/my file.md:1-1',
  ])
    expect(JSON.parse((await call('read', { path })).text)).toMatchObject({
      data: { path: 'src/my file.md' },
    });
});
