/** What a small read costs, counted: each way through a thread takes as long as all the rest of it. */

import { createHook } from 'node:async_hooks';
import { expect, test } from 'vitest';
import { isLocal } from '../../src/access/mounts.ts';
import { workspace } from '../support/workspace.ts';

/** File operations handed to a thread while `work` runs. */
async function inThreads(work: () => Promise<unknown>): Promise<number> {
  let count = 0;
  const hook = createHook({
    init(_id, type) {
      if (type.startsWith('FSREQ')) count += 1;
    },
  }).enable();
  try {
    await work();
  } finally {
    hook.disable();
  }
  return count;
}

test('a small read on a local file system goes through a thread three times: find, open, read', async () => {
  const { W, write, oriel } = workspace();
  write('f', 'one\ntwo\n');
  const read = oriel.tool('read');
  await read.run({ path: 'f' });
  const operations = await inThreads(() => read.run({ path: 'f' }));
  expect(operations).toBe(isLocal(W) ? 3 : 9);
});
