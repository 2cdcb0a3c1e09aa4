/** Processing of typed texts has linear cost: the patterns over them do not backtrack. */

import { expect, test } from 'vitest';
import { targetRewrites } from '../../src/selector/rewrites.ts';
import { textOf, workspace } from '../support/workspace.ts';
import { withoutLag } from '../support/lag.ts';

const n = 16_000;

test.each<[string, string]>([
  ['a symbol that could be split anywhere', `a.ts:${'a$'.repeat(100)}!`],
  ['a name of many parts', `a.ts:${'a.'.repeat(n)}!`],
  ['blanks between two names', `a${' '.repeat(2 * n)}b`],
  ['blanks and line ends between two names', `a${' \n'.repeat(n)}b`],
  ['semicolons', `a${' ; '.repeat(n)}b`],
  ['colons', `x${':'.repeat(n)}`],
  ['blanks before colons', `a${' :'.repeat(n)}b`],
  ['commas in brackets', `[${' , '.repeat(n)}]`],
])('%s', async (_, path) => {
  const { write, oriel } = workspace();
  write('a.ts', 'export const a = 1;\n');
  for (const input of [{ path }, { path, offset: 1 }, { paths: [path, 'a.ts'] }]) {
    await withoutLag(async () => {
      const answer = await oriel.tool('read').run(input);
      expect(answer.isError).toBe(true);
    });
  }
  await withoutLag(async () => void targetRewrites(path, () => false));
});

test('a value longer than its field allows is refused', async () => {
  const { oriel } = workspace();
  const long = 'a'.repeat(70_000);
  for (const input of [{ path: long }, { paths: [long, 'b'] }, { filePath: long }])
    expect(textOf(await oriel.tool('read').run(input))).toMatch(/at most 65536 are allowed/);
});
