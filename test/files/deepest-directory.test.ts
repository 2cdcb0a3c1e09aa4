import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { deepestDirectory } from '../../src/files/deepest-directory.ts';
import { createAccess } from '../../src/files/local.ts';
import { OrielError } from '../../src/errors.ts';
import type { FileAccess, OpenedItem } from '../../src/types/access.ts';
import { openBelow } from '../support/descriptors.ts';
import { workspace } from '../support/workspace.ts';

test('the deepest directory is found around links that lead outside', async () => {
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

interface Simulated {
  readonly access: FileAccess;
  /** The paths that were opened, in order. */
  readonly tried: string[];
  /** Those that are open now. */
  readonly open: Set<string>;
}

/** Paths of letters; what opening one of them gives is said by its path. */
function simulated(roots: readonly string[], kindOf: (path: string) => string): Simulated {
  const tried: string[] = [];
  const open = new Set<string>();
  const access = {
    roots,
    open: (path: string, signal?: AbortSignal): Promise<OpenedItem> => {
      tried.push(path);
      signal?.throwIfAborted();
      const is = kindOf(path);
      if (is === 'bug') return Promise.reject(new TypeError('a bug'));
      if (is !== 'directory' && is !== 'file') return Promise.reject(new OrielError(is as 'NOT_FOUND', is));
      open.add(path);
      return Promise.resolve({
        kind: is,
        path,
        close: () => Promise.resolve(void open.delete(path)),
      } as OpenedItem);
    },
  } as Partial<FileAccess> as FileAccess;
  return { access, tried, open };
}

const isAtMost = (most: number, path: string): boolean => path.split('/').filter(Boolean).length <= most;

test('the search begins at the parent, and closes the others', async () => {
  const names = Array.from({ length: 1_000 }, (_, i) => `d${i}`);
  for (const deepest of [0, 1, 2, 500, 998, 999, 1_000]) {
    const { access, tried, open } = simulated([], (path) =>
      isAtMost(deepest, path) ? 'directory' : 'NOT_FOUND',
    );
    const found = await deepestDirectory(access, `/${names.join('/')}`);
    // The path itself is not tried: it is what could not be opened.
    const count = Math.min(deepest, 999);
    expect(found).toMatchObject({ at: `/${names.slice(0, count).join('/')}`, names: names.slice(count) });
    expect(Array.from(open)).toStrictEqual([found?.at]);
    expect(tried[0]).toBe(`/${names.slice(0, 999).join('/')}`);
    expect(tried.length).toBeLessThan(14);
  }
});

test('the root directory is its own, with no names', async () => {
  const { access } = simulated([], () => 'directory');
  expect(await deepestDirectory(access, '/')).toMatchObject({ at: '/', names: [] });
});

test('a file is closed, and the search goes on above', async () => {
  const { access, open } = simulated([], (path) => (isAtMost(2, path) ? 'directory' : 'file'));
  expect(await deepestDirectory(access, '/a/b/file/x/y')).toMatchObject({
    at: '/a/b',
    names: ['file', 'x', 'y'],
  });
  expect(Array.from(open)).toStrictEqual(['/a/b']);
});

test.each([
  // Below the root everything that can be named is outside: a link leads there.
  ['OUTSIDE_ROOT', '/w', 2, '/w/b'],
  ['OUTSIDE_ROOT', '/w', 1, '/w'],
  ['NOT_FOUND', '/w/b/c', 3, '/w/b/c'],
  ['NOT_FOUND', '/w/b/c/d/e', 5, '/w/b/c/d/e'],
  ['DENIED', '/w', 3, '/w/b/c'],
])('%s below %s, where %d directories can be opened: %s', async (below, root, most, at) => {
  const { access, open } = simulated([root], (path) => {
    if (`${root}/`.startsWith(`${path === '/' ? '' : path}/`) && path !== root) return 'OUTSIDE_ROOT';
    return isAtMost(most, path) ? 'directory' : below;
  });
  expect((await deepestDirectory(access, '/w/b/c/d/e/f/g'))?.at).toBe(at);
  expect(Array.from(open)).toStrictEqual([at]);
});

test('nothing is found where nothing can be opened', async () => {
  for (const code of ['OUTSIDE_ROOT', 'NOT_FOUND', 'file']) {
    const { access, open } = simulated(['/elsewhere'], () => code);
    expect(await deepestDirectory(access, '/a/b/c')).toBeUndefined();
    expect(open.size).toBe(0);
  }
});

test('a bug and a cancellation end the search', async () => {
  const { access } = simulated([], () => 'bug');
  await expect(deepestDirectory(access, '/a/b')).rejects.toThrow(TypeError);
  const reason = new Error('enough');
  const cancelled = simulated([], () => 'directory');
  await expect(deepestDirectory(cancelled.access, '/a/b', AbortSignal.abort(reason))).rejects.toBe(reason);
  expect(cancelled.tried).toHaveLength(1);
});

test('directories that were tried are closed', async () => {
  const { W } = workspace();
  mkdirSync(join(W, 'a/b'), { recursive: true });
  writeFileSync(join(W, 'a/b/file'), '');
  const access = createAccess({ cwd: W, roots: [W], allow: [] });
  const found = await deepestDirectory(access, join(W, 'a/b/file/x/y/z'));
  expect([found?.at, found?.opened.path]).toStrictEqual([join(W, 'a/b'), join(W, 'a/b')]);
  await found?.opened.close();
  expect(openBelow(W)).toEqual([]);
});

/** What this process has open below a directory; other tests open and close elsewhere. */
