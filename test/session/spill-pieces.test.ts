/** What counts towards the daily quota of a client while the shared store fails and recovers. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SpillPieces } from '../../src/session/shared-spills.ts';
import type { StateSpace } from '../../src/types/state.ts';
import { temporaryFolder } from '../support/commands.ts';

const MOST_IN_A_DAY = 512 << 20;

test('an upload refused by the quota is not counted in it, even if the store fails at that time', async () => {
  const path = join(temporaryFolder(), 'output');
  writeFileSync(path, 'output');
  const output = { url: 'artifact://1', path, bytes: 6, capped: false };
  let used = MOST_IN_A_DAY;
  let answers = Number.POSITIVE_INFINITY;
  const add: StateSpace['add'] = (_, bytes) => {
    if (answers === 0) return Promise.resolve('away');
    answers -= 1;
    used += bytes;
    return Promise.resolve(used);
  };
  const space = { isUp: true, add, put: () => Promise.resolve(true) } as Partial<StateSpace> as StateSpace;
  const pieces = new SpillPieces(space, { of: undefined, now: () => 0 });
  answers = 1;
  expect(await pieces.send(output, () => Promise.resolve(1))).toContain('512 MiB were shared today');
  answers = Number.POSITIVE_INFINITY;
  used -= 6;
  expect(await pieces.send(output, () => Promise.resolve(1))).toBe(1);
  expect(used).toBe(MOST_IN_A_DAY);
});
