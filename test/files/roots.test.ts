/** The boundary of the roots: what may be named, what is reached, and what a link leads out to. */

import { closeSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  holdRoots,
  isSameRoot,
  realDirectory,
  rootAt,
  rootsIn,
  rootsKey,
  narrowRoots,
  FileRoots,
} from '../../src/files/roots.ts';
import { keepFromClients, privateDirectory } from '../../src/files/kept-files.ts';
import { OrielError } from '../../src/errors.ts';
import { temporaryFolder } from '../support/commands.ts';

interface Folders {
  /** The root. */
  readonly W: string;
  /** Beside it. */
  readonly O: string;
}

/** A root with files, directories and links of every kind, and a directory outside. */
function folders(): Folders {
  const [W, O] = [temporaryFolder(), temporaryFolder()];
  mkdirSync(join(W, 'a/b'), { recursive: true });
  writeFileSync(join(W, 'a/file'), 'inside\n');
  writeFileSync(join(O, 'secret'), 'outside\n');
  const links: readonly (readonly [string, string])[] = [
    ['to-file', 'a/file'],
    ['to-directory', 'a'],
    ['absolute', join(W, 'a')],
    ['a/up', '../a/file'],
    ['a/round', '../../../../../../../../..' + join(W, 'a/file')],
    ['out', O],
    ['out-relative', join('..', O.split('/').at(-1) as string, 'secret')],
    ['out-and-in', join(O, 'back')],
    ['to-nothing', 'nothing'],
    ['loop', 'loop-2'],
    ['loop-2', 'loop'],
  ];
  for (const [at, target] of links) symlinkSync(target, join(W, at));
  symlinkSync(W, join(O, 'back'));
  return { W, O };
}

/** The code of the error, or the result. */
async function codeOf(call: Promise<unknown>): Promise<unknown> {
  return call.catch((error: NodeJS.ErrnoException) => error.code);
}

describe.runIf(process.platform === 'linux')('what is reached', () => {
  const reached = async (roots: FileRoots, path: string): Promise<unknown> => {
    const find = async (): Promise<string> => {
      const found = await roots.find(path, () => 'shown');
      closeSync(found.fd);
      return found.path;
    };
    const resolved = await codeOf(roots.resolve(path, () => 'shown').then((reached) => reached.path));
    const found = await codeOf(find());
    // By names nothing is opened: what does not exist is found out later.
    if (found !== 'ENOENT' && found !== 'ENOTDIR') expect(resolved).toStrictEqual(found);
    return found;
  };

  test('a file or directory, by name or by inner links', async () => {
    const { W } = folders();
    const roots = new FileRoots([W], W);
    const found = await Promise.all(
      [
        '',
        'a',
        'a/file',
        'to-file',
        'to-directory',
        'to-directory/file',
        'absolute/b',
        'a/up',
        'a/round',
      ].map((at) => reached(roots, join(W, at))),
    );
    expect(found).toStrictEqual(
      ['', 'a', 'a/file', 'a/file', 'a', 'a/file', 'a/b', 'a/file', 'a/file'].map((at) => join(W, at)),
    );
  });

  test('nothing outside, and not a word of whether it exists', async () => {
    const { W, O } = folders();
    const roots = new FileRoots([W], W);
    const paths = [
      O,
      join(O, 'secret'),
      join(O, 'nothing'),
      join(O, 'back/a/file'),
      `${W}x`,
      '/',
      ...['out', 'out/secret', 'out/nothing', 'out-relative', 'out-and-in', 'out-and-in/a'].map((at) =>
        join(W, at),
      ),
    ];
    const found = await Promise.all(paths.map((path) => reached(roots, path)));
    expect(found).toStrictEqual(paths.map(() => 'OUTSIDE_ROOT'));
  });

  test('loops and what does not exist', async () => {
    const { W } = folders();
    const roots = new FileRoots([W], W);
    const found = ['loop', 'nothing', 'to-nothing', 'a/file/x'].map((at) => reached(roots, join(W, at)));
    expect(await Promise.all(found)).toStrictEqual(['LOOP', 'ENOENT', 'ENOENT', 'ENOTDIR']);
    await expect(roots.find(join(W, 'loop'), () => 'a\nb')).rejects.toMatchObject({
      message: 'a\\nb leads into a loop of links.',
    });
  });

  test('forty links, and not one more', async () => {
    const W = temporaryFolder();
    writeFileSync(join(W, '0'), '');
    for (let i = 1; i <= 41; i += 1) symlinkSync(String(i - 1), join(W, String(i)));
    const roots = new FileRoots([W], W);
    expect([await reached(roots, join(W, '40')), await reached(roots, join(W, '41'))]).toStrictEqual([
      join(W, '0'),
      'LOOP',
    ]);
  });

  test('a root given as a link has its real path', async () => {
    const { W, O } = folders();
    const given = join(O, 'back');
    const roots = new FileRoots([given, join(W, 'a')], W);
    expect(roots.paths).toStrictEqual([W, join(W, 'a')]);
    expect([await reached(roots, join(given, 'a/file')), await reached(roots, given)]).toStrictEqual([
      join(W, 'a/file'),
      W,
    ]);
    const names = [given, join(given, 'x'), W, join(W, 'x'), O, join(O, 'secret'), `${given}x`];
    expect(names.map((path) => roots.mayName(path))).toStrictEqual([
      true,
      true,
      true,
      true,
      false,
      false,
      false,
    ]);
  });

  test('a descriptor of what was found', async () => {
    const { W } = folders();
    const { fd, stats } = await new FileRoots([W], W).find(join(W, 'to-file'), () => 'shown');
    expect([stats.isFile(), stats.size]).toStrictEqual([true, 7n]);
    expect(readFileSync(`/proc/self/fd/${fd}`, 'utf8')).toBe('inside\n');
    closeSync(fd);
  });

  test('nothing below a root that was replaced', async () => {
    const { W, O } = folders();
    const root = join(W, 'a');
    const roots = new FileRoots([root], root);
    expect(await roots.holds(join(root, 'file'))).toBe(true);
    renameSync(root, join(W, 'moved'));
    expect([await reachedNothing(roots, root), await roots.holds(join(root, 'file'))]).toStrictEqual([
      'OUTSIDE_ROOT',
      false,
    ]);
    symlinkSync(O, root);
    expect([await reachedNothing(roots, root), await roots.holds(join(root, 'file'))]).toStrictEqual([
      'OUTSIDE_ROOT',
      false,
    ]);
  });

  const reachedNothing = (roots: FileRoots, root: string): Promise<unknown> =>
    codeOf(roots.find(join(root, 'file'), () => 'shown'));
});

describe('roots', () => {
  test('none: everything may be named and is held', async () => {
    const roots = new FileRoots([], '/');
    expect([roots.any, roots.paths, roots.mayName('/etc'), await roots.holds('/etc')]).toStrictEqual([
      false,
      [],
      true,
      true,
    ]);
    expect(await roots.resolve('/etc/../x', () => 'shown')).toEqual({ path: '/etc/../x' });
  });

  test('several', async () => {
    const { W, O } = folders();
    const roots = new FileRoots([join(W, 'a'), O], W);
    expect([roots.any, roots.paths]).toStrictEqual([true, [join(W, 'a'), O]]);
    const held = [join(W, 'a'), join(W, 'a/b'), O, join(O, 'secret'), W, join(W, 'abc'), '/'];
    expect(await Promise.all(held.map((path) => roots.holds(path)))).toStrictEqual([
      true,
      true,
      true,
      true,
      false,
      false,
      false,
    ]);
  });

  test('a root that is missing or no directory is refused', () => {
    const { W } = folders();
    const refusal = (path: string): unknown => {
      try {
        return new FileRoots([path], W);
      } catch (error) {
        return error instanceof OrielError && [error.code, error.message];
      }
    };
    const [file, nothing] = [join(W, 'a/file'), join(W, 'nothing')];
    expect(refusal(file)).toStrictEqual([
      'NOT_DIRECTORY',
      `The root ${file} is not a directory. Use one that is.`,
    ]);
    expect(refusal(nothing)).toStrictEqual([
      'NOT_FOUND',
      `The root ${nothing} does not exist. Use a directory that does.`,
    ]);
    expect(() => new FileRoots([nothing], W)).toThrow(
      expect.objectContaining({ cause: expect.objectContaining({ code: 'ENOENT' }) }),
    );
    expect(refusal(join(W, 'loop'))).toMatchObject(['LOOP', expect.any(String)]);
    const seen = [W, join(W, 'to-directory'), file, nothing].map(realDirectory);
    expect(seen).toStrictEqual([W, join(W, 'a'), undefined, undefined]);
  });

  test('a refusal names only paths typed below the working directory', () => {
    const { W, O } = folders();
    const said = (roots: FileRoots, shown: string): unknown => {
      const error = roots.outside(shown);
      return [error.code, error.message, error.next];
    };
    const inside = new FileRoots([W], join(W, 'a'));
    expect(said(inside, 'out\n')).toStrictEqual([
      'OUTSIDE_ROOT',
      'out\\n lies outside the directories that may be read. Use . to list the working directory.',
      '.',
    ]);
    expect(said(inside, O)).toStrictEqual([
      'OUTSIDE_ROOT',
      'That path lies outside the directories that may be read. Use . to list the working directory.',
      '.',
    ]);
    expect(said(new FileRoots([W], O), 'secret')).toStrictEqual([
      'OUTSIDE_ROOT',
      `secret lies outside the directories that may be read. Use ${W} to list what may.`,
      W,
    ]);
  });
});

describe('a list that is held', () => {
  test('keeps its directories, and its key changes with them', () => {
    const { W } = folders();
    const path = join(W, 'a');
    const list = holdRoots([path]);
    expect(holdRoots(list)).toBe(list);
    const [root] = rootsIn(list);
    expect(root).toMatchObject(rootAt(path));
    const key = rootsKey(list);
    expect([rootsKey([path]), JSON.parse(key)]).toStrictEqual([
      JSON.stringify([path]),
      [[path, `${root?.dev}:${root?.ino}`]],
    ]);
    renameSync(path, join(W, 'moved'));
    mkdirSync(path);
    expect(rootsKey(list)).toBe(key);
    expect(rootsKey(holdRoots([path]))).not.toBe(key);
    expect([rootsIn(list)[0]?.ino === root?.ino, rootsIn([path])[0]?.ino === root?.ino]).toStrictEqual([
      true,
      false,
    ]);
  });

  test('directories are the same by device and number, links never', () => {
    const root = { given: '/w', real: '/w', dev: 1n, ino: 2n };
    const stats = (dev: bigint, ino: bigint, isDirectory: boolean): Parameters<typeof isSameRoot>[1] =>
      ({ dev, ino, isDirectory: () => isDirectory }) as Parameters<typeof isSameRoot>[1];
    expect([
      isSameRoot(root, stats(1n, 2n, true)),
      isSameRoot(root, stats(3n, 2n, true)),
      isSameRoot(root, stats(1n, 3n, true)),
      isSameRoot(root, stats(1n, 2n, false)),
    ]).toStrictEqual([true, false, false, false]);
  });
});

describe.runIf(process.platform === 'linux')('roots that a client declares', () => {
  test('are narrower than those of the server, or the same', async () => {
    const { W, O } = folders();
    const roots = holdRoots([join(W, 'a'), O]);
    const narrowed = async (...wanted: string[]): Promise<unknown> =>
      codeOf(narrowRoots(roots, wanted).then((list) => Array.from(list)));
    expect(await narrowed(join(W, 'a/b'))).toStrictEqual([join(W, 'a/b')]);
    expect(await narrowed(join(W, 'a'))).toStrictEqual([join(W, 'a')]);
    // What contains a root stands for that root.
    expect(await narrowed(W)).toStrictEqual([join(W, 'a')]);
    expect(await narrowed('/')).toStrictEqual([join(W, 'a'), O]);
    expect(await narrowed(join(W, 'a/b'), join(W, 'a/b'), O)).toStrictEqual([join(W, 'a/b'), O]);
    expect(await narrowed(join(W, 'to-directory/b'))).toStrictEqual([join(W, 'a/b')]);
    // Elsewhere, or a link that leads there.
    expect(await narrowed('/nowhere')).toBe('OUTSIDE_ROOT');
    expect(await narrowed()).toBe('OUTSIDE_ROOT');
    expect(await narrowed(join(W, 'nothing'))).toBe('OUTSIDE_ROOT');
    // Inside, and not there, or no directory.
    expect(await narrowed(join(W, 'a/nothing'))).toBe('OUTSIDE_ROOT');
    expect(await narrowed(join(W, 'a/file'))).toBe('OUTSIDE_ROOT');
    expect(await narrowed(join(W, 'a/nothing'), O)).toStrictEqual([O]);
  });

  test("none of them is a directory of oriel's own", async () => {
    const { W } = folders();
    const own = privateDirectory(join(W, 'cache'));
    mkdirSync(join(own, 'deeper'));
    keepFromClients(own);
    for (const wanted of [own, join(own, 'deeper')])
      await expect(narrowRoots(holdRoots([W]), [wanted])).rejects.toMatchObject({ code: 'OUTSIDE_ROOT' });
  });

  test('a link out of the roots is none of them', async () => {
    const { W } = folders();
    for (const link of ['out', 'to-nothing']) {
      await expect(narrowRoots(holdRoots([W]), [join(W, link)])).rejects.toMatchObject({
        message:
          'None of the roots that the client declares is a directory inside those of this server, so nothing can be read. Declare one that is, or start the server with --ignore-client-roots.',
      });
    }
  });
});
