/**
 * What an outline weighs in the cache, beside the memory that it holds. A process of its own, because what other tests leave
 * behind may be released at any time.
 *
 * @module-tag slow
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { createSession } from '../../src/session/session.ts';
import { bytesHeld } from '../support/memory.ts';
import { textOf, workspace } from '../support/workspace.ts';

const many = (count: number, line: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => line(i)).join('');

const MIB = 1 << 20;

const patient = { interval: 100 };

/** What is derived from a file that has only just been written is not kept. */
const settled = (): Promise<void> => sleep(30);

test('outlines weigh their content and stay within the budget', async () => {
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
});
