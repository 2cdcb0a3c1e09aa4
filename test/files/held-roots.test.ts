/** Roots that a client declares: directories that are exchanged meanwhile become no roots. */

import { mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { holdRoots, narrowRoots } from '../../src/files/roots.ts';
import type { OrielError } from '../../src/errors.ts';
import { temporaryFolder } from '../support/commands.ts';
import { racer } from '../support/racer.ts';

const CALLS = 6_000;

test.each([
  ['the directory itself', 'x'],
  ['one above it', 'x/deep'],
])('a link outside that replaces %s is never a root', { tags: 'slow' }, async (_, wanted) => {
  const [inside, outside] = [realpathSync(temporaryFolder()), realpathSync(temporaryFolder())];
  mkdirSync(join(inside, 'x/deep'), { recursive: true });
  mkdirSync(join(outside, 'deep'));
  const roots = holdRoots([inside]);
  const stop = racer(`cd '${inside}'; while :; do mv x y; ln -s '${outside}' x; rm x; mv y x; done`);
  try {
    const found = new Set<string>();
    for (let i = 0; i < CALLS; i += 1) {
      const narrowed = await narrowRoots(roots, [join(inside, wanted)]).catch((error: OrielError) => error);
      if (!(narrowed instanceof Error)) for (const root of narrowed) found.add(root);
      else expect(narrowed.code).toBe('OUTSIDE_ROOT');
    }
    expect([...found].filter((root) => root !== inside && !root.startsWith(`${inside}/`))).toEqual([]);
    expect(found.size).toBeGreaterThan(0);
  } finally {
    await stop();
  }
});
