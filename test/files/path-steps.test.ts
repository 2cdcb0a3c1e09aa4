/** Each step of a walk through a path: what is opened, what is replaced meanwhile, what fails, and what is closed. */

import * as fs from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type * as descriptors from '../../src/files/descriptors.ts';
import type { DescriptorInspector } from '../../src/files/descriptors.ts';
import { type ReachedPath, walkPath, type WalkBase } from '../../src/files/path-walk.ts';
import { temporaryFolder } from '../support/commands.ts';
import { openCount } from '../support/descriptors.ts';

const host = vi.hoisted(() => ({
  /** Whether stats and opens are answered on the main thread. */
  isLocal: true,
  /** Called before a path is opened, with the number of the open; it may throw. */
  opening: undefined as ((path: string, count: number) => void) | undefined,
  /** The paths that were opened. */
  opened: [] as string[],
  /** Called instead of reading a link. */
  readlink: undefined as ((path: string) => string) | undefined,
  statFails: undefined as ((fd: number) => string | undefined) | undefined,
}));

vi.mock('../../src/files/mounts.ts', () => ({
  isLocalPath: () => host.isLocal,
  wasReached: () => host.isLocal,
}));

vi.mock('../../src/files/descriptors.ts', async (original) => {
  const real = await original<typeof descriptors>();
  const before = (path: string): void => {
    host.opened.push(path);
    host.opening?.(path, host.opened.length);
  };
  return {
    ...real,
    openDescriptor(path: string, flags: number) {
      try {
        before(path);
      } catch (error) {
        return Promise.reject(error as Error);
      }
      return real.openDescriptor(path, flags);
    },
    inspectorOf(path: string): DescriptorInspector {
      const inspector = real.inspectorOf(path);
      return {
        ...inspector,
        open(again, flags) {
          before(again);
          return inspector.open(again, flags);
        },
        stat(fd) {
          const code = host.statFails?.(fd);
          if (code === undefined) return inspector.stat(fd);
          const error = Object.assign(new Error(code), { code });
          if (host.isLocal) throw error;
          return Promise.reject(error);
        },
        readlink: (at) => host.readlink?.(at) ?? inspector.readlink(at),
      };
    },
  };
});

const failure = (code: string): Error => Object.assign(new Error(code), { code });

function baseOf(real: string): WalkBase {
  const { dev, ino } = fs.statSync(real, { bigint: true });
  return { real, dev, ino };
}

/** A base with directories, files and links, and a directory beside it. */
function folders(): { W: string; O: string; base: WalkBase } {
  const [W, O] = [temporaryFolder(), temporaryFolder()];
  fs.mkdirSync(join(W, 'a/b'), { recursive: true });
  fs.writeFileSync(join(W, 'a/b/f'), 'text');
  fs.symlinkSync('a', join(W, 'link'));
  fs.symlinkSync('../a/b/f', join(W, 'a/up'));
  return { W, O, base: baseOf(W) };
}

/** Where it ended: a path that was opened, a path to resolve instead, nothing, or the code of the error. */
async function walked(path: string, base: WalkBase): Promise<unknown> {
  try {
    const found = await walkPath(path, base);
    if (typeof found !== 'object') return found;
    const { fd, stats, path: at } = found as ReachedPath;
    expect(stats.ino).toBe(fs.fstatSync(fd, { bigint: true }).ino);
    fs.closeSync(fd);
    return [at];
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? error;
  }
}

describe.runIf(process.platform === 'linux').each([true, false])(
  'where file systems are local: %j',
  (isLocal) => {
    let made: ReturnType<typeof folders>;
    let before = 0;

    beforeEach(() => {
      Object.assign(host, { isLocal, opening: undefined, readlink: undefined, statFails: undefined });
      made = folders();
      host.opened.length = 0;
      before = openCount();
    });

    const at = (name: string): Promise<unknown> => walked(join(made.W, name), made.base);

    test('names are opened in turn, the last without reading rights', async () => {
      const { W } = made;
      expect([await at(''), await at('a'), await at('a/b/f'), await at('a//b/')]).toStrictEqual([
        [W],
        [join(W, 'a')],
        [join(W, 'a/b/f')],
        [join(W, 'a/b')],
      ]);
      host.opened.length = 0;
      const { fd } = (await walkPath(join(W, 'a/b/f'), made.base)) as ReachedPath;
      expect(() => fs.readSync(fd, Buffer.alloc(1))).toThrow('EBADF');
      fs.closeSync(fd);
      expect(host.opened).toStrictEqual([
        W,
        expect.stringMatching(/^\/proc\/self\/fd\/\d+\/a$/),
        expect.stringMatching(/^\/proc\/self\/fd\/\d+\/b$/),
        expect.stringMatching(/^\/proc\/self\/fd\/\d+\/f$/),
      ]);
      expect(openCount()).toBe(before);
    });

    test('at a link the walk ends with its target path', async () => {
      const { W } = made;
      expect([await at('link'), await at('link/b/f'), await at('a/up'), await at('a/up/x')]).toStrictEqual([
        join(W, 'a'),
        join(W, 'a/b/f'),
        join(W, 'a/b/f'),
        join(W, 'a/b/f/x'),
      ]);
      expect(openCount()).toBe(before);
    });

    test('missing names and non-directories give the error of the system', async () => {
      expect([await at('x'), await at('x/y'), await at('a/b/f/x')]).toStrictEqual([
        'ENOENT',
        'ENOENT',
        'ENOTDIR',
      ]);
      expect(openCount()).toBe(before);
    });

    test('a replaced or missing base leads nowhere', async () => {
      const { W, O } = made;
      fs.renameSync(join(W, 'a'), join(O, 'moved'));
      const base = { ...baseOf(join(O, 'moved')), real: join(W, 'a') };
      expect(await walked(join(W, 'a/b'), base)).toBeUndefined();
      fs.mkdirSync(join(W, 'a/b'), { recursive: true });
      expect([await walked(join(W, 'a/b'), base), await walked(join(W, 'a'), base)]).toStrictEqual([
        undefined,
        undefined,
      ]);
      const own = baseOf(join(W, 'a'));
      expect(await walked(join(W, 'a/b'), { ...own, dev: own.dev + 1n })).toBeUndefined();
      fs.rmSync(join(W, 'a'), { recursive: true });
      fs.symlinkSync(join(O, 'moved'), join(W, 'a'));
      expect(await walked(join(W, 'a/b'), base)).toBeUndefined();
      expect(openCount()).toBe(before);
    });

    test.each([
      ['EMFILE', 'EMFILE'],
      ['ENFILE', 'ENFILE'],
      ['EIO', 'EIO'],
      ['EACCES', undefined],
    ])('when the base cannot be opened for %s: %j', async (code, expected) => {
      host.opening = () => {
        throw failure(code);
      };
      expect(await at('a/b')).toBe(expected);
      expect(openCount()).toBe(before);
    });

    test.each([1, 2, 3, 4])('a failure of open %d closes all others', async (which) => {
      host.opening = (_, count) => {
        if (count === which) throw failure('EIO');
      };
      expect(await at('a/b/f')).toBe('EIO');
      expect(openCount()).toBe(before);
    });

    test.each([1, 2])('a failure to read stats %d closes all', async (which) => {
      let asked = 0;
      host.statFails = () => ((asked += 1) === which ? 'EIO' : undefined);
      expect(await at('a/b/f')).toBe('EIO');
      expect(openCount()).toBe(before);
    });

    test('a directory that replaces something else is entered', async () => {
      const { W } = made;
      // After the first look at `g` it is exchanged.
      fs.writeFileSync(join(W, 'g'), '');
      host.opening = (path, count) => {
        if (count !== 3 || !path.endsWith('/g')) return;
        fs.rmSync(join(W, 'g'));
        fs.mkdirSync(join(W, 'g/h'), { recursive: true });
      };
      expect(await at('g/h')).toStrictEqual([join(W, 'g/h')]);
      expect(openCount()).toBe(before);
    });

    test.each(['EINVAL', 'ENOENT'])('a link replaced before it is read is retried: %s', async (code) => {
      const { W } = made;
      host.readlink = () => {
        throw failure(code);
      };
      expect([await at('link'), await at('link/b')]).toStrictEqual([join(W, 'link'), join(W, 'link/b')]);
      expect(openCount()).toBe(before);
    });

    test('a link that cannot be read is an error', async () => {
      host.readlink = () => {
        throw failure('EIO');
      };
      expect([await at('link'), await at('link/b')]).toStrictEqual(['EIO', 'EIO']);
      expect(openCount()).toBe(before);
    });

    /** Moves `a` out of the base before open `which`. */
    const movingOut = (which: number): void => {
      const { W, O } = made;
      host.opening = (_, count) => {
        if (count === which) fs.renameSync(join(W, 'a'), join(O, 'a'));
      };
    };

    test('a directory that was moved out leads nowhere', async () => {
      const { W, O } = made;
      for (const [name, which] of [
        ['a/b/f', 3],
        ['a/b/f', 4],
        ['a/up', 3],
        ['a/up/x', 3],
        ['a/b/none', 4],
        ['a/none/x', 3],
      ] as const) {
        host.opened.length = 0;
        movingOut(which);
        expect(await at(name)).toBeUndefined();
        expect(openCount()).toBe(before);
        host.opening = undefined;
        fs.renameSync(join(O, 'a'), join(W, 'a'));
      }
    });

    test('a directory moved within the base is found there', async () => {
      const { W } = made;
      host.opening = (_, count) => {
        if (count === 4) fs.renameSync(join(W, 'a'), join(W, 'c'));
      };
      expect(await at('a/b/f')).toStrictEqual([join(W, 'c/b/f')]);
      expect(openCount()).toBe(before);
    });
  },
);
