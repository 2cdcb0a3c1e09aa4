/** When the tags of a tree are written to the cache on disk, and which are written again. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { textOf, workspace } from '../../support/workspace.ts';

// Entries that are already written stay unchanged.
test('tags are written if at least a fiftieth was parsed', { tags: 'slow' }, async () => {
  const w = workspace();
  const directory = join(w.O, 'cache');
  const write = (no: number, name: string): string =>
    w.write(`src/f${no}.ts`, `export function ${name}${no}(): void {\n  return;\n}\n`);
  for (let no = 0; no < 60; no += 1) write(no, 'one');
  const mapped = async (): Promise<{ text: string; kept: string[] }> => {
    // What was written in this tick of the clock is not kept: its next version might look the same.
    await sleep(50);
    const oriel = w.with({ cache: { directory } });
    const text = textOf(await oriel.tool('read').run({ path: 'src:outline' }));
    await oriel.close();
    const files = readdirSync(directory).toSorted();
    return { text, kept: files.map((file) => readFileSync(join(directory, file), 'latin1')) };
  };
  const first = await mapped();
  // The tags, and how that part is called.
  expect(first.kept).toHaveLength(2);
  write(7, 'two');
  const second = await mapped();
  expect(second.text).toContain('two7');
  expect(second.kept).toEqual(first.kept);
  for (const no of [1, 2]) write(no, 'two');
  const third = await mapped();
  expect(third.kept).toHaveLength(3);
  expect(third.kept.filter((one) => first.kept.includes(one))).toHaveLength(1);
  expect((await mapped()).text).toBe(third.text);
});
