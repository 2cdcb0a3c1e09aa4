/** A directory that leaves the roots between two steps of a walk, at exactly that moment. */

import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test, vi } from 'vitest';
import { createAccess } from '../../src/files/local.ts';
import { temporaryFolder } from '../support/commands.ts';

/** Called before a name is opened. */
let before: (path: string) => void = () => undefined;

vi.mock('../../src/files/descriptors.ts', async (original) => {
  const real = await original<typeof import('../../src/files/descriptors.ts')>();
  return {
    ...real,
    inspectorOf(path: string) {
      const inspector = real.inspectorOf(path);
      return {
        ...inspector,
        open(at: string, flags: number) {
          before(at);
          return inspector.open(at, flags);
        },
      };
    },
    openDescriptor(at: string, flags: number) {
      before(at);
      return real.openDescriptor(at, flags);
    },
  };
});

beforeEach(() => {
  before = () => undefined;
});

test.runIf(process.platform === 'linux').each([
  ['the file', 'secret.txt'],
  ['a directory', 'n'],
])('a directory moved out before lookup of %s is refused', async (_, name) => {
  const [W, O] = [temporaryFolder(), temporaryFolder()];
  mkdirSync(join(W, 'm/n'), { recursive: true });
  writeFileSync(join(W, 'm/n/secret.txt'), 'inside\n');
  const access = createAccess({ cwd: W, roots: [W], allow: [] });
  for (const known of [false, true]) {
    let moved = false;
    before = (path) => {
      if (moved || !path.endsWith(`/${name}`) || !path.startsWith('/proc/')) return;
      moved = true;
      renameSync(join(W, 'm'), join(O, 'm'));
      writeFileSync(join(O, 'm/n/secret.txt'), 'outside\n');
    };
    await expect(access.open(join(W, 'm/n/secret.txt'))).rejects.toMatchObject({ code: 'OUTSIDE_ROOT' });
    expect([known, moved]).toEqual([known, true]);
    renameSync(join(O, 'm'), join(W, 'm'));
    before = () => undefined;
    const opened = await access.open(join(W, 'm/n/secret.txt'));
    await opened.close();
  }
});
