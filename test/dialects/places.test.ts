/** Lines that stand behind a path, where a dialect has fields of its own for them. */

import { expect, test } from 'vitest';
import { numbered, place } from '../support/dialect.ts';

const tools = [
  ['pi', 'read'],
  ['pi@0.74', 'read'],
  ['pi@1.6', 'read'],
  ['zdx', 'read'],
  ['zdx@0.10', 'read'],
  ['zed', 'read_file'],
  ['coder', 'read_file'],
] as const;

test.each(tools)('%s %s: a selector is refused, the path alone suggested', async (dialect, tool) => {
  const { folder, write, call } = place(dialect);
  write('src/a.txt', numbered(1, 100));
  const path = dialect === 'coder' ? `${folder}/src/a.txt` : 'src/a.txt';
  for (const behind of [':30-34', '#L30-L34', ' lines 30-34', ':30:5', '(30,5)']) {
    const { text, isError } = await call(tool, { path: path + behind });
    expect(isError).toBe(true);
    expect(text).toContain(dialect === 'coder' ? 'file does not exist' : 'Did you mean src/a.txt?');
  }
  write('src/a.txt:3-5', 'of that name\n');
  expect((await call(tool, { path: `${path}:3-5` })).text).toContain('of that name');
});

test('zdx names the path it read, not the typed one', async () => {
  const { folder, write, call } = place('zdx');
  write('src/my file.md', 'a\n');
  for (const path of [
    '"src/my file.md"',
    'src/my\\ file.md',
    '@src/my file.md',
    'src/../src/my file.md',
    `${folder}/src/my file.md`,
  ])
    expect(JSON.parse((await call('read', { path })).text)).toMatchObject({
      data: { path: 'src/my file.md' },
    });
});
