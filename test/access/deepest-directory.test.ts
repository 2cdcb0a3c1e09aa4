import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { deepestDirectory } from '../../src/access/deepest-directory.ts';
import { createAccess } from '../../src/access/local.ts';
import { workspace } from '../support/workspace.ts';

test('the deepest directory of a path is found above, below and behind what lies outside', async () => {
  const { W, O } = workspace();
  mkdirSync(join(W, 'a/b/c'), { recursive: true });
  symlinkSync(O, join(W, 'away'));
  symlinkSync(join(W, 'a'), join(W, 'inner'));
  const access = createAccess({ cwd: W, roots: [W], allow: [] });
  const deepest = async (path: string): Promise<unknown> => {
    const found = await deepestDirectory(access, path);
    await found?.opened.close();
    return found && [found.at, ...found.names];
  };
  expect(await deepest(join(W, 'a/b/c/d/e'))).toEqual([join(W, 'a/b/c'), 'd', 'e']);
  expect(await deepest(join(W, 'x'))).toEqual([W, 'x']);
  expect(await deepest(join(W, 'away/x'))).toEqual([W, 'away', 'x']);
  expect(await deepest(join(W, 'away/x/y'))).toEqual([W, 'away', 'x', 'y']);
  expect(await deepest(join(W, 'inner/b/x/y'))).toEqual([join(W, 'inner/b'), 'x', 'y']);
  expect(await deepest(join(O, 'x/y'))).toBeUndefined();
});
