/** Whole answers on record in `test/fixtures/answers`; `vitest -u` writes them anew. */

import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';

/** Expects what `text` answers to each path, one after the other, to be as on record. */
export async function expectAsRecorded(
  record: string,
  paths: readonly string[],
  text: (path: string) => Promise<string>,
): Promise<void> {
  const answers: string[] = [];
  for (const path of paths) answers.push(`=== ${path}\n${await text(path)}\n`);
  const file = fileURLToPath(new URL(`../fixtures/answers/${record}.txt`, import.meta.url));
  await expect(answers.join('')).toMatchFileSnapshot(file);
}
