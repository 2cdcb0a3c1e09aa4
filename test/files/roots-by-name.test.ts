/** Roots on file systems that are not local, and on systems on which directories cannot be held by descriptor. */

import * as fs from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type * as descriptors from '../../src/files/descriptors.ts';
import { DenyPolicy } from '../../src/files/deny-policy.ts';
import { keepFromClients } from '../../src/files/kept-files.ts';
import { createAccess } from '../../src/files/local.ts';
import { holdRoots, narrowRoots, FileRoots } from '../../src/files/roots.ts';
import { temporaryFolder } from '../support/commands.ts';
import { openCount } from '../support/descriptors.ts';

const host = vi.hoisted(() => ({
  isLocal: true,
  refused: undefined as string | undefined,
  /** Paths that were looked up by name, with links followed anywhere. */
  lookedUp: [] as string[],
}));

vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>();
  return { ...real, realpath: (path: string) => (host.lookedUp.push(path), real.realpath(path)) };
});

vi.mock('../../src/files/mounts.ts', () => ({ isLocalPath: () => host.isLocal, wasReached: () => false }));

vi.mock('../../src/files/descriptors.ts', async (original) => {
  const real = await original<typeof descriptors>();
  return {
    ...real,
    inspectorOf(path: string): descriptors.DescriptorInspector {
      const inspector = real.inspectorOf(path);
      const open: typeof inspector.open = (again, flags) => {
        const code = host.refused;
        if (code !== undefined) throw Object.assign(new Error(code), { code });
        return inspector.open(again, flags);
      };
      return { ...inspector, open };
    },
  };
});

beforeEach(() => {
  host.isLocal = true;
  host.refused = undefined;
});
afterEach(() => void vi.restoreAllMocks());

/** A root with directories and links, and a directory outside. */
function folders(): { W: string; O: string } {
  const [W, O] = [temporaryFolder(), temporaryFolder()];
  fs.mkdirSync(join(W, 'a/b'), { recursive: true });
  fs.writeFileSync(join(W, 'a/file'), '');
  fs.mkdirSync(join(O, 'away'));
  for (const [name, target] of [
    ['to-a', 'a'],
    ['a/up', '../a/b'],
    ['out', O],
    ['loop', 'loop'],
  ] as const)
    fs.symlinkSync(target, join(W, name));
  return { W, O };
}

const codeOf = (call: Promise<unknown>): Promise<unknown> =>
  call.catch((error: NodeJS.ErrnoException) => error.code);

describe.each([true, false])('where file systems are local: %j', (isLocal) => {
  beforeEach(() => void (host.isLocal = isLocal));

  test('a rule file that has changed is read again, also of the same size', async () => {
    const { W } = folders();
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 10_000 });
    onTestFinished(() => void vi.useRealTimers());
    const access = createAccess({ cwd: W, roots: [W], allow: [] });
    const policy = new DenyPolicy({ patterns: [], projects: [W], name: 'deny' }, [W], access.open);
    const rules: (string | undefined)[] = [];
    for (const name of ['a.ts', 'b.ts']) {
      fs.writeFileSync(join(W, '.cursorignore'), name);
      rules.push((await policy.current()).decide(join(W, name), false)?.rule);
      await policy.current();
    }
    expect(rules).toEqual(['a.ts', 'b.ts']);
  });

  test('links are resolved by name, and lead nowhere outside', async () => {
    const { W, O } = folders();
    const roots = new FileRoots([W], W);
    const resolved = ['', 'a', 'to-a', 'to-a/b', 'to-a/up', 'a/up/x', 'none/x', 'a/file/x'].map((name) =>
      roots.resolve(join(W, name), () => name).then(({ path }) => path),
    );
    expect(await Promise.all(resolved)).toStrictEqual(
      ['', 'a', 'a', 'a/b', 'a/b', 'a/b/x', 'none/x', 'a/file/x'].map((name) => join(W, name)),
    );
    for (const [name, code] of [
      ['out', 'OUTSIDE_ROOT'],
      ['out/away', 'OUTSIDE_ROOT'],
      ['loop', 'LOOP'],
    ] as const)
      expect(await codeOf(roots.resolve(join(W, name), () => name))).toBe(code);
    expect(await codeOf(roots.resolve(O, () => 'x'))).toBe('OUTSIDE_ROOT');
  });

  test('a root holds its content until it is another directory', async () => {
    const { W, O } = folders();
    const root = join(W, 'a');
    const roots = new FileRoots([root, O], W);
    const held = (): Promise<boolean[]> =>
      Promise.all([root, join(root, 'file'), O, W].map((path) => roots.holds(path)));
    expect(await held()).toStrictEqual([true, true, true, false]);
    fs.renameSync(root, join(W, 'moved'));
    expect(await held()).toStrictEqual([false, false, true, false]);
    fs.mkdirSync(root);
    expect(await held()).toStrictEqual([false, false, true, false]);
    fs.rmdirSync(root);
    fs.symlinkSync('moved', root);
    expect(await held()).toStrictEqual([false, false, true, false]);
    fs.rmSync(root);
    fs.renameSync(join(W, 'moved'), root);
    expect(await held()).toStrictEqual([true, true, true, false]);
  });
});

describe.runIf(process.platform === 'linux').each(['linux', 'darwin'] as const)(
  'roots that a client declares, on %s',
  (platform) => {
    beforeEach(() => void vi.spyOn(process, 'platform', 'get').mockReturnValue(platform));

    test('are directories inside, or the roots that they contain', async () => {
      const { W, O } = folders();
      const roots = holdRoots([join(W, 'a'), O]);
      const narrowed = async (...wanted: string[]): Promise<unknown> =>
        codeOf(narrowRoots(roots, wanted).then((list) => Array.from(list)));
      for (const wanted of ['a/b', 'to-a/b', 'a/up'])
        expect(await narrowed(join(W, wanted))).toStrictEqual([join(W, 'a/b')]);
      expect(await narrowed(join(W, 'a/b'), join(W, 'a/b'), O)).toStrictEqual([join(W, 'a/b'), O]);
      for (const wanted of ['', 'a']) expect(await narrowed(join(W, wanted))).toStrictEqual([join(W, 'a')]);
      expect(await narrowed('/')).toStrictEqual([join(W, 'a'), O]);
      expect(await narrowed(join(W, 'out/away'))).toStrictEqual([join(O, 'away')]);
      // Elsewhere, or inside and not there, or no directory.
      for (const wanted of ['/nowhere', join(W, 'none'), join(W, 'a/none'), join(W, 'a/file')])
        expect(await narrowed(wanted)).toBe('OUTSIDE_ROOT');
      expect(await narrowed()).toBe('OUTSIDE_ROOT');
      expect(await narrowed(join(W, 'a/none'), O)).toStrictEqual([O]);
    });

    test('a link or loop that leads nowhere inside is none of them', async () => {
      const { W } = folders();
      for (const link of ['out', 'loop', 'none'])
        await expect(narrowRoots(holdRoots([W]), [join(W, link)])).rejects.toMatchObject({
          code: 'OUTSIDE_ROOT',
          message:
            'None of the roots that the client declares is a directory inside those of this server, so nothing can be read. Declare one that is.',
        });
    });

    test('none is in a directory of oriel itself', async () => {
      const { W } = folders();
      keepFromClients(join(W, 'a'));
      const roots = holdRoots([W]);
      expect(await codeOf(narrowRoots(roots, [join(W, 'a')]))).toBe('OUTSIDE_ROOT');
      expect(await codeOf(narrowRoots(roots, [join(W, 'to-a/b')]))).toBe('OUTSIDE_ROOT');
    });

    test('none is in a root that was replaced', async () => {
      const { W } = folders();
      const roots = holdRoots([join(W, 'a')]);
      fs.renameSync(join(W, 'a'), join(W, 'moved'));
      fs.mkdirSync(join(W, 'a/b'), { recursive: true });
      expect(await codeOf(narrowRoots(roots, [join(W, 'a/b')]))).toBe('OUTSIDE_ROOT');
    });
  },
);

describe.runIf(process.platform === 'linux')('roots that a client declares, by descriptor', () => {
  test('a directory inside keeps the identity that it has now', async () => {
    const { W } = folders();
    const narrowed = await narrowRoots(holdRoots([W]), [join(W, 'to-a')]);
    expect(Array.from(narrowed)).toStrictEqual([join(W, 'a')]);
    const roots = new FileRoots(narrowed, W);
    expect(await roots.holds(join(W, 'a/file'))).toBe(true);
    fs.renameSync(join(W, 'a'), join(W, 'moved'));
    fs.mkdirSync(join(W, 'a'));
    expect(await roots.holds(join(W, 'a/file'))).toBe(false);
  });

  test('nothing stays open', async () => {
    const { W } = folders();
    const roots = holdRoots([W]);
    const before = openCount();
    await narrowRoots(roots, [join(W, 'a'), join(W, 'to-a/b'), join(W, 'out')]);
    await codeOf(narrowRoots(roots, [join(W, 'a/file'), join(W, 'none')]));
    expect(openCount()).toBe(before);
  });

  test("a directory reached by a root's link name is inside", async () => {
    const { W, O } = folders();
    fs.symlinkSync(W, join(O, 'given'));
    const roots = holdRoots([join(O, 'given')]);
    expect(Array.from(await narrowRoots(roots, [join(O, 'given/a')]))).toStrictEqual([join(W, 'a')]);
    expect(await codeOf(narrowRoots(roots, [join(O, 'given/none')]))).toBe('OUTSIDE_ROOT');
  });

  // A look-up by name could touch what a link outside leads to.
  test('nothing inside the roots is looked up by name', async () => {
    const { W, O } = folders();
    host.lookedUp.length = 0;
    const roots = holdRoots([join(W, 'a')]);
    expect(Array.from(await narrowRoots(roots, [join(W, 'a/b'), join(O, 'away')]))).toStrictEqual([
      join(W, 'a/b'),
    ]);
    expect(host.lookedUp[0]).toBe(join(O, 'away'));
  });

  // Otherwise roots would be missing.
  test('a shortage of descriptors is an error', async () => {
    const { W } = folders();
    const roots = holdRoots([W]);
    for (const code of ['EMFILE', 'ENFILE']) {
      host.refused = code;
      await expect(narrowRoots(roots, [join(W, 'a')])).rejects.toMatchObject({ code });
    }
    host.refused = 'EACCES';
    expect(Array.from(await narrowRoots(roots, [join(W, 'a'), W]))).toStrictEqual([W]);
  });
});
