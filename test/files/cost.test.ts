/** What a small read costs, counted: each way through a thread takes as long as all the rest of it. */

import { createHook } from 'node:async_hooks';
import { statSync, symlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isLocalPath } from '../../src/files/mounts.ts';
import type { Answer } from '../../src/types/answer.ts';
import { workspace } from '../support/workspace.ts';

/** File operations handed to a thread while `work` runs. */
const inThreads = (work: () => Promise<unknown>): Promise<number> => begun('FSREQ', work);

/** Asynchronous resources of that kind which are made while `work` runs. */
async function begun(kind: string, work: () => Promise<unknown>): Promise<number> {
  let count = 0;
  const hook = createHook({
    init(_id, type) {
      if (type.startsWith(kind)) count += 1;
    },
  }).enable();
  try {
    await work();
  } finally {
    hook.disable();
  }
  return count;
}

/** At least: on a busy machine a moment may be over between two calls. */
async function fewestInThreads(work: () => Promise<unknown>): Promise<number> {
  let fewest = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 10; i += 1) fewest = Math.min(fewest, await inThreads(work));
  return fewest;
}

test('a small local read goes through no thread', async () => {
  const { W, write, oriel } = workspace();
  const full = write('f', 'one\n');
  const read = oriel.tool('read');
  let answer: Answer | undefined;
  const operations = await fewestInThreads(async () => {
    // So that the times tell one version from the next.
    utimesSync(full, new Date(), new Date(Date.now() + Math.random() * 1e6));
    answer = await read.run({ path: 'f' });
  });
  expect(answer?.content[0]).toMatchObject({ text: '1|one\n' });
  expect(operations).toBe(isLocalPath(W) ? 0 : 9);
});

// A link may lead to a server, which would hold up the main thread.
test('a thread follows links in known directories, except inside roots', async () => {
  const { W, write, oriel, with: walled } = workspace();
  write('f', 'one\n');
  symlinkSync('f', join(W, 'link'));
  const free = walled({ roots: [] });
  for (const [read, expected] of [
    [oriel.tool('read'), 0],
    [free.tool('read'), 1],
  ] as const) {
    await read.run({ path: 'f' });
    let answer: Answer | undefined;
    const operations = await fewestInThreads(async () => (answer = await read.run({ path: 'link' })));
    expect(answer?.content[0]).toMatchObject({ text: '1|one\n' });
    if (isLocalPath(W)) expect(operations).toBe(expected);
  }
  await free.close();
});

// A promise for each of many steps adds up.
test('a small read makes fewer than 170 promises', async () => {
  const { W, write, oriel } = workspace();
  const full = write('f', 'a line of a small file\n'.repeat(100));
  const read = oriel.tool('read');
  // A file that was written a moment ago is looked at twice.
  await expect.poll(() => Date.now() - statSync(full).ctimeMs).toBeGreaterThan(100);
  for (let warm = 0; warm < 3; warm += 1) await read.run({ path: 'f' });
  let fewest = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 10; i += 1)
    fewest = Math.min(fewest, await begun('PROMISE', () => read.run({ path: 'f' })));
  expect(fewest).toBeLessThan(isLocalPath(W) ? 170 : 400);
});
