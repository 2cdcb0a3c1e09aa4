/** Threads that are idle between walks. */

import { expect, test } from 'vitest';
import { openBelow } from '../support/descriptors.ts';
import { textOf, workspace } from '../support/workspace.ts';

test('requests and files of a search do not outlive it', { tags: 'slow' }, async () => {
  const { W, write, oriel } = workspace();
  // Enough for the helper, and files that are searched where they lie.
  for (let i = 0; i < 1_500; i += 1) write(`d/f${1000 + i}.txt`, `a word ${i}\n`);
  for (const name of ['x', 'y'])
    write(`large/${name}.log`, `${'some words on a line\n'.repeat(250_000)}end\n`);
  const grep = async (input: object): Promise<string> => textOf(await oriel.tool('grep').run(input));
  for (let round = 0; round < 3; round += 1) {
    expect(await grep({ pattern: 'absent' })).toBe('No matches found');
    if (process.platform === 'linux') expect(openBelow(W)).toEqual([]);
    expect(await grep({ pattern: 'a word 1499' })).toBe('d/f2499.txt:1: a word 1499');
    expect(await grep({ pattern: '^(end|a word 77)$' })).toBe(
      'd/f1077.txt:1: a word 77\nlarge/x.log:250001: end\nlarge/y.log:250001: end',
    );
    expect(textOf(await oriel.tool('find').run({ pattern: 'f1499.txt' }))).toBe('d/f1499.txt');
  }
  write('late.txt', 'absent\n');
  expect(await grep({ pattern: 'absent' })).toBe('late.txt:1: absent');
});
