/** What is opened and what is refused, how paths are shown, and what is left open: also as on systems without /proc. */

import * as fs from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type * as descriptors from '../../src/files/descriptors.ts';
import { readAt } from '../../src/text/bytes.ts';
import { type AccessOptions, createAccess } from '../../src/files/local.ts';
import { keepFileFromClients, keepFromClients } from '../../src/files/kept-files.ts';
import type { OrielError } from '../../src/errors.ts';
import type { FileAccess, OpenedDirectory, OpenedItem } from '../../src/types/access.ts';
import { temporaryFolder } from '../support/commands.ts';
import { openBelow, openCount } from '../support/descriptors.ts';
import { makeFifo } from '../support/fifo.ts';

const host = vi.hoisted(() => ({
  /** Called before something is opened; it may throw. */
  before: undefined as ((path: string) => void) | undefined,
  /** Paths that were opened on the main thread. */
  main: [] as string[],
  /** Changes the stats of an open descriptor. */
  stats: undefined as ((stats: fs.BigIntStats, count: number) => void) | undefined,
  statCount: 0,
  /** Attempts while there were no descriptors. */
  attempts: 0,
  /** The code with which a read fails. */
  unreadable: undefined as string | undefined,
}));

vi.mock('../../src/files/descriptors.ts', async (original) => {
  const real = await original<typeof descriptors>();
  return {
    ...real,
    openDescriptor(path: string, flags: number) {
      host.before?.(path);
      return real.openDescriptor(path, flags);
    },
    readDescriptor(...args: Parameters<typeof real.readDescriptor>) {
      const code = host.unreadable;
      return code === undefined
        ? real.readDescriptor(...args)
        : Promise.reject(Object.assign(new Error(code), { code }));
    },
    openOnMainThread(path: string, flags: number) {
      host.main.push(path);
      return real.openOnMainThread(path, flags);
    },
    inspectorOf(path: string): descriptors.DescriptorInspector {
      const inspector = real.inspectorOf(path);
      return {
        ...inspector,
        open(again, flags) {
          host.before?.(again);
          return inspector.open(again, flags);
        },
        stat(fd) {
          const stats = inspector.stat(fd) as fs.BigIntStats;
          host.statCount += 1;
          host.stats?.(stats, host.statCount);
          return stats;
        },
      };
    },
    async untilDescriptors(attempt: () => Promise<unknown>, signal?: AbortSignal) {
      for (let i = 1; ; i += 1) {
        host.attempts = i;
        try {
          return await attempt();
        } catch (error) {
          if (i === 3 || signal?.aborted) throw error;
        }
      }
    },
  };
});

beforeEach(() => {
  Object.assign(host, {
    before: undefined,
    stats: undefined,
    statCount: 0,
    attempts: 0,
    unreadable: undefined,
  });
  host.main.length = 0;
});
afterEach(() => void vi.restoreAllMocks());

/** A directory with an entry of each type, and a directory beside it. */
async function folders(): Promise<{ W: string; O: string }> {
  const [W, O] = [temporaryFolder(), temporaryFolder()];
  fs.writeFileSync(join(W, 'file'), 'text');
  fs.mkdirSync(join(W, 'directory'));
  fs.writeFileSync(join(W, 'directory/inner'), 'inner');
  fs.writeFileSync(join(O, 'secret'), 'outside');
  fs.symlinkSync('file', join(W, 'link'));
  fs.symlinkSync('directory', join(W, 'link-to-directory'));
  fs.symlinkSync(O, join(W, 'out'));
  makeFifo(join(W, 'fifo'));
  const server = createServer().listen(join(W, 'socket'));
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  return { W, O };
}

const accessTo = (W: string, options: Partial<AccessOptions> = {}): FileAccess =>
  createAccess({ cwd: W, roots: [W], allow: [], ...options });

const textOf = async (opened: OpenedItem): Promise<string> =>
  opened.kind === 'file' ? Buffer.from(await readAt(opened.bytes, 0, 1_000)).toString() : opened.kind;

/** The path and text of what was opened, or the code and sentence of the error. */
async function opening(access: FileAccess, path: string, signal?: AbortSignal): Promise<readonly string[]> {
  try {
    const opened = await access.open(path, signal);
    const text = await textOf(opened);
    await opened.close();
    return [opened.path, text];
  } catch (error) {
    const { code, message } = error as OrielError;
    return [code, message];
  }
}

describe('how a path is shown', () => {
  const { display } = createAccess({ cwd: '/w/dir', roots: [], allow: [] });

  test.each([
    ['/w/dir', '.'],
    ['/w/dir/a/b.ts', 'a/b.ts'],
    ['/w/dir/.hidden', '.hidden'],
    ['/w/dir/...', '/w/dir/...'],
    ['/w/dir/..x', '/w/dir/..x'],
    ['/w/directory/a', '/w/directory/a'],
    ['/w/other', '/w/other'],
    ['/', '/'],
    ['/w/dir/https:/host/x.ts', './https:/host/x.ts'],
    ['/w/dir/http:', './http:'],
    ['/w/dir/HTTP:x', './HTTP:x'],
    ['/w/dir/s3:/bucket/x', './s3:/bucket/x'],
    ['/w/dir/a+b.c-1:/x', './a+b.c-1:/x'],
    ['/w/dir/1a:/x', '1a:/x'],
    ['/w/dir/a:x', 'a:x'],
    ['/w/dir/www.a.org:80', './www.a.org:80'],
    ['/w/dir/www.a.org?x', './www.a.org?x'],
    ['/w/dir/www.a.org/x', 'www.a.org/x'],
    ['/w/dir/x/www.a.org:80', 'x/www.a.org:80'],
    ['/w/dir/~', './~'],
    ['/w/dir/~/x', './~/x'],
    ['/w/dir/~x', '~x'],
  ])('%s as %s', (path, shown) => {
    expect(display(path)).toBe(shown);
  });

  test('in the root directory', () => {
    const root = createAccess({ cwd: '/', roots: [], allow: [] });
    expect(['/', '/a', '/a/b', '/www.x#'].map(root.display)).toStrictEqual(['.', 'a', 'a/b', './www.x#']);
  });
});

describe.runIf(process.platform === 'linux').each(['linux', 'darwin'] as const)('on %s', (platform) => {
  beforeEach(() => void vi.spyOn(process, 'platform', 'get').mockReturnValue(platform));

  test.each([true, false])('files and directories are opened, also by links; roots: %j', async (walled) => {
    const { W, O } = await folders();
    const access = accessTo(W, walled ? {} : { roots: [] });
    expect(access.roots).toStrictEqual(walled ? [W] : []);
    const before = openCount();
    const ways: string[] = [];
    host.before = (path) => void ways.push(path);
    const open = (name: string) => opening(access, join(W, name));
    // Twice, because names in a directory that was just reached are looked up in another way.
    for (let i = 0; i < 2; i += 1) {
      expect(await open('file')).toStrictEqual([join(W, 'file'), 'text']);
      expect(await open('link')).toStrictEqual([join(W, 'file'), 'text']);
      expect(await open('')).toStrictEqual([W, 'directory']);
      expect(await open('directory/inner')).toStrictEqual([join(W, 'directory/inner'), 'inner']);
      expect(await open('link-to-directory')).toStrictEqual([join(W, 'directory'), 'directory']);
      expect(await open('out/secret')).toStrictEqual(
        walled
          ? [
              'OUTSIDE_ROOT',
              'out/secret lies outside the directories that may be read. Use . to list the working directory.',
            ]
          : [join(O, 'secret'), 'outside'],
      );
      expect(await open('none')).toStrictEqual(['NOT_FOUND', 'none does not exist.']);
      expect(await open('file/x')).toStrictEqual([
        'NOT_DIRECTORY',
        'file/x goes through something that is not a directory.',
      ]);
    }
    expect(ways.some((path) => path.startsWith('/proc/'))).toBe(platform === 'linux');
    expect(openCount()).toBe(before);
  });

  test('an empty file is opened as others are', async () => {
    const { W } = await folders();
    fs.writeFileSync(join(W, 'empty'), '');
    const opened = await accessTo(W).open(join(W, 'empty'));
    expect(opened).toMatchObject({ kind: 'file', size: 0, fd: expect.any(Number) as number });
    await opened.close();
  });

  test.each([true, false])('private entries are listed by name only; roots: %j', async (walled) => {
    const { W, O } = await folders();
    for (const directory of ['vault', 'app.db-wal', '.git']) {
      fs.mkdirSync(join(W, directory));
      fs.writeFileSync(join(W, directory, 'index'), 'inside');
    }
    fs.linkSync(join(W, 'file'), join(W, 'directory/other'));
    const deny = { patterns: ['/file', 'vault/', 'link', '*.db'], projects: [W], name: 'deny' };
    const access = accessTo(W, { deny, ...(!walled && { roots: [] }) });
    const before = openCount();
    const opened = (await access.open(W)) as OpenedDirectory;
    const { entries } = await opened.list(20);
    const closed = entries.filter((entry) => entry.isPrivate).map(({ name }) => name);
    expect(closed.toSorted()).toStrictEqual(['file', 'link', 'vault']);
    expect(await opened.stat('file')).toMatchObject({ type: 'file', size: 0, isPrivate: true });
    expect(await opened.stat('socket')).not.toHaveProperty('isPrivate');
    expect([await opened.linkTarget('link'), await opened.linkTarget('out')]).toStrictEqual([undefined, O]);
    expect(await opened.enter('vault')).toBeUndefined();
    const inner = (await opened.enter('directory')) as OpenedDirectory;
    expect(await inner.stat('other')).toMatchObject({ size: 0, isPrivate: true });
    expect(await inner.stat('inner')).not.toHaveProperty('isPrivate');
    const above = (await inner.above()) as OpenedDirectory;
    expect([above.path, above.privateNames]).toStrictEqual([W, opened.privateNames]);
    for (const one of [above, inner, opened]) await one.close();
    const codes = async (...names: string[]): Promise<unknown[]> => {
      const found: unknown[] = [];
      for (const name of names) found.push((await opening(access, join(W, name)))[0]);
      return found;
    };
    const refused = ['file', 'directory/other', 'vault', 'vault/index', 'vault/none', 'link', '.git/index'];
    expect(await codes(...refused)).toStrictEqual(refused.map(() => 'PRIVATE'));
    expect(await codes('none', 'out/none')).toStrictEqual([
      'NOT_FOUND',
      walled ? 'OUTSIDE_ROOT' : 'NOT_FOUND',
    ]);
    const read = ['directory/inner', 'app.db-wal/index'].map((name) => join(W, name));
    expect(await codes('directory/inner', 'app.db-wal/index')).toStrictEqual(read);
    const git = access.forGit as FileAccess;
    expect([git.cwd, git.roots, git.display(join(W, 'a'))]).toStrictEqual([W, access.roots, 'a']);
    expect(await opening(git, join(W, '.git/index'))).toStrictEqual([join(W, '.git/index'), 'inside']);
    expect((await opening(git, join(W, 'vault/index')))[0]).toBe('PRIVATE');
    expect(openCount()).toBe(before);
    expect([accessTo(W).forGit, accessTo(W).privateNames]).toStrictEqual([undefined, undefined]);
  });

  test.each([
    ['fifo', 'a FIFO'],
    ['socket', 'a socket'],
    ['/dev/null', 'a character device'],
  ])('%s is refused as what it is', async (path, what) => {
    const { W } = await folders();
    const before = openCount();
    const access = accessTo(W, { roots: [] });
    const full = path.startsWith('/') ? path : join(W, path);
    expect(await opening(access, full)).toStrictEqual([
      'NOT_REGULAR',
      `${path} is ${what}; only regular files and directories are read.`,
    ]);
    expect(openCount()).toBe(before);
  });

  test('a kernel file is refused, and read where allowed', async () => {
    const { W } = await folders();
    expect(await opening(accessTo(W, { roots: [] }), '/proc/sys/kernel/ostype')).toStrictEqual([
      'NOT_REGULAR',
      '/proc/sys/kernel/ostype is a kernel file, not a stored file.',
    ]);
    const allowed = accessTo(W, { roots: [], allow: ['/sys', '/proc'] });
    const opened = await allowed.open('/proc/sys/kernel/ostype');
    if (opened.kind !== 'file') throw new Error('no file');
    expect(openBelow('/proc/sys')).toEqual([]);
    expect(opened).toMatchObject({ path: '/proc/sys/kernel/ostype', size: 6 });
    expect(opened.mtimeMs).toBeGreaterThan(0);
    expect([await textOf(opened), opened.fd, opened.bytes.identity.recurs]).toStrictEqual([
      'Linux\n',
      undefined,
      false,
    ]);
    await opened.close();
    const directory = await allowed.open('/proc/sys/kernel');
    expect(directory.kind).toBe('directory');
    await directory.close();
    expect((await opening(accessTo(W, { roots: [], allow: ['/proc/s'] }), '/proc/sys'))[0]).toBe(
      'NOT_REGULAR',
    );
  });

  test('a kernel file is empty for EAGAIN, fails for EIO', async () => {
    const { W } = await folders();
    const access = accessTo(W, { roots: [], allow: ['/proc'] });
    host.unreadable = 'EAGAIN';
    expect(await opening(access, '/proc/sys/kernel/ostype')).toStrictEqual(['/proc/sys/kernel/ostype', '']);
    host.unreadable = 'EIO';
    expect(await opening(access, '/proc/sys/kernel/ostype')).toStrictEqual([
      'CORRUPT',
      '/proc/sys/kernel/ostype could not be read: input/output error.',
    ]);
    host.unreadable = undefined;
    const stop = new AbortController();
    host.before = () => stop.abort(new Error('enough'));
    await expect(access.open('/proc/sys/kernel/ostype', stop.signal)).rejects.toThrow('enough');
    expect(openBelow('/proc/sys')).toEqual([]);
  });

  test('the session may allow a file of oriel outside roots', async () => {
    const { W, O } = await folders();
    const ours = (path: string): boolean => path === join(O, 'secret');
    const access = accessTo(W, { ours });
    expect(await opening(access, join(O, 'secret'))).toStrictEqual([join(O, 'secret'), 'outside']);
    fs.writeFileSync(join(O, 'other'), '');
    expect(await opening(access, join(O, 'other'))).toStrictEqual([
      'OUTSIDE_ROOT',
      'That path lies outside the directories that may be read. Use . to list the working directory.',
    ]);
    // Not what a link at its place leads to.
    fs.rmSync(join(O, 'secret'));
    fs.symlinkSync('other', join(O, 'secret'));
    expect((await opening(access, join(O, 'secret')))[0]).toBe('OUTSIDE_ROOT');
    expect((await opening(access, join(W, 'out/secret')))[0]).toBe('OUTSIDE_ROOT');
  });

  test('what the server keeps is refused by place and inode', async () => {
    const { W } = await folders();
    fs.mkdirSync(join(W, 'cache/deep'), { recursive: true });
    fs.writeFileSync(join(W, 'cache/deep/f'), '');
    fs.writeFileSync(join(W, 'token'), 'secret');
    keepFromClients(join(W, 'cache'));
    const fd = fs.openSync(join(W, 'token'), 'r');
    keepFileFromClients(join(W, 'token'), fd, fs.fstatSync(fd));
    fs.linkSync(join(W, 'token'), join(W, 'another-name'));
    const before = openCount();
    for (const path of ['cache', 'cache/deep/f', 'token', 'another-name']) {
      const error = (await accessTo(W)
        .open(join(W, path))
        .catch((caught: unknown) => caught)) as OrielError;
      expect([error.code, error.message, error.next]).toStrictEqual([
        'DENIED',
        `${path} belongs to the server itself and is not read. Use . to list the working directory.`,
        '.',
      ]);
    }
    const ours = accessTo(W, { ours: (path) => path === join(W, 'token') });
    expect(await opening(ours, join(W, 'token'))).toStrictEqual([join(W, 'token'), 'secret']);
    expect((await opening(accessTo(W, { roots: [] }), join(W, 'cache/deep/f')))[0]).toBe(
      join(W, 'cache/deep/f'),
    );
    const root = await accessTo(W).open(W);
    const { entries } = await (root as Extract<OpenedItem, { kind: 'directory' }>).list(100);
    expect(entries.map(({ name }) => name)).not.toContain('cache');
    await root.close();
    expect(openCount()).toBe(before);
  });

  test('a file beside another is opened; absence is no error', async () => {
    const { W } = await folders();
    fs.writeFileSync(join(W, 'file-wal'), 'log');
    fs.mkdirSync(join(W, 'file-dir'));
    fs.symlinkSync('out/secret', join(W, 'file-out'));
    const before = openCount();
    const opened = await accessTo(W).open(join(W, 'link'));
    if (opened.kind !== 'file') throw new Error('no file');
    const beside = await opened.sibling?.('-wal');
    expect(beside && (await textOf(beside))).toBe('log');
    await beside?.close();
    expect([await opened.sibling?.('-none'), await opened.sibling?.('-dir')]).toStrictEqual([
      undefined,
      undefined,
    ]);
    await expect(opened.sibling?.('-out')).rejects.toMatchObject({ code: 'OUTSIDE_ROOT' });
    await opened.close();
    expect(openCount()).toBe(before);
  });

  test('a call that is cancelled opens nothing', async () => {
    const { W } = await folders();
    const opened: string[] = [];
    host.before = (path) => void opened.push(path);
    const stop = AbortSignal.abort(new Error('enough'));
    await expect(accessTo(W).open(join(W, 'file'), stop)).rejects.toThrow('enough');
    expect(opened).toStrictEqual([]);
  });

  test('a file replaced after being resolved is refused and closed', async () => {
    const { W } = await folders();
    const access = accessTo(W);
    await opening(access, join(W, 'file'));
    const before = openCount();
    // The second stats of the file are those after opening it.
    for (const change of ['ino', 'dev'] as const) {
      const seen: fs.BigIntStats[] = [];
      host.stats = (stats) => {
        if (!stats.isFile()) return;
        seen.push(stats);
        if (seen.length === (platform === 'linux' ? 2 : 1)) stats[change] += 1n;
      };
      expect(await opening(access, join(W, 'file'))).toStrictEqual([
        'BUSY',
        `${join(W, 'file')} was replaced while it was being opened. Call again.`,
      ]);
      expect(openCount()).toBe(before);
    }
  });

  test.each(['EMFILE', 'ENFILE'])(
    'without descriptors it tries again, and closes everything: %s',
    async (code) => {
      const { W } = await folders();
      const access = accessTo(W);
      await opening(access, join(W, 'file'));
      const before = openCount();
      let failures = 0;
      const failing = (times: number): void => {
        failures = times;
        host.before = () => {
          if (failures <= 0) return;
          failures -= 1;
          throw Object.assign(new Error('too many open files'), { code });
        };
      };
      failing(2);
      expect(await opening(access, join(W, 'file'))).toStrictEqual([join(W, 'file'), 'text']);
      expect(host.attempts).toBe(2);
      failing(100);
      expect(await opening(access, join(W, 'file'))).toStrictEqual([
        'BUSY',
        'file could not be opened: too many files are open.',
      ]);
      expect([host.attempts, openCount()]).toStrictEqual([3, before]);
      const stop = new AbortController();
      host.before = () => {
        stop.abort(new Error('enough'));
        throw Object.assign(new Error('too many open files'), { code });
      };
      await expect(access.open(join(W, 'file'), stop.signal)).rejects.toThrow('enough');
      expect(openCount()).toBe(before);
    },
  );

  test('another failure is explained, and not tried again', async () => {
    const { W } = await folders();
    host.before = () => {
      throw Object.assign(new Error('input/output error'), { code: 'EIO' });
    };
    const before = openCount();
    expect(await opening(accessTo(W), join(W, 'file'))).toStrictEqual([
      'CORRUPT',
      'file could not be read: input/output error.',
    ]);
    expect([host.attempts, openCount()]).toStrictEqual([0, before]);
  });
});

describe.runIf(process.platform === 'linux')('a path without roots', () => {
  test('in known directories uses the main thread, except for links', async () => {
    const { W } = await folders();
    fs.writeFileSync(join(W, 'directory/other'), '');
    const access = accessTo(W, { roots: [] });
    const looked = async (name: string): Promise<boolean> => {
      host.main.length = 0;
      await opening(access, join(W, name));
      return host.main.includes(join(W, name));
    };
    // Reached through a link, the directory of the link is not known.
    expect([await looked('link-to-directory/inner'), await looked('link-to-directory/inner')]).toStrictEqual([
      false,
      false,
    ]);
    expect([await looked('directory/inner'), await looked('directory/other')]).toStrictEqual([false, true]);
    const before = openCount();
    await opening(access, join(W, 'file'));
    expect(await opening(access, join(W, 'link'))).toStrictEqual([join(W, 'file'), 'text']);
    expect(openCount()).toBe(before);
  });

  test('that was deleted is known by name, also "x (deleted)"', async () => {
    const { W } = await folders();
    const access = accessTo(W, { roots: [] });
    const named = join(W, 'x (deleted)');
    fs.writeFileSync(named, 'named');
    expect(await opening(access, named)).toStrictEqual([named, 'named']);
    const path = join(W, 'directory/inner');
    const fd = fs.openSync(path, 'r');
    fs.rmSync(path);
    const link = join(W, 'link to the descriptor');
    fs.symlinkSync(`/proc/self/fd/${fd}`, link);
    expect(await opening(access, link)).toStrictEqual([path, 'inner']);
    fs.closeSync(fd);
  });

  test('a handle whose stats cannot be read is closed', async () => {
    const { W } = await folders();
    const access = accessTo(W, { roots: [] });
    const before = openCount();
    host.stats = () => {
      throw Object.assign(new Error('input/output error'), { code: 'EIO' });
    };
    expect((await opening(access, join(W, 'file')))[0]).toBe('CORRUPT');
    expect(openCount()).toBe(before);
  });
});

test.runIf(process.platform === 'linux').each([
  [0o60000n, 'a block device'],
  [0n, 'not a regular file'],
])('what has the mode %d is %s', async (type, what) => {
  const { W } = await folders();
  host.stats = (stats) => void (stats.mode = type);
  expect(await opening(accessTo(W), join(W, 'file'))).toStrictEqual([
    'NOT_REGULAR',
    `file is ${what}; only regular files and directories are read.`,
  ]);
});

test('a directory "NAME (deleted)" beside a deleted root is outside', async () => {
  const base = temporaryFolder();
  const W = join(base, 'work');
  fs.mkdirSync(W);
  const access = accessTo(W);
  fs.rmdirSync(W);
  fs.mkdirSync(`${W} (deleted)`);
  fs.writeFileSync(`${W} (deleted)/secret`, '');
  for (const path of [W, join(W, 'secret'), `${W} (deleted)/secret`])
    expect((await opening(access, path))[0]).toBe('OUTSIDE_ROOT');
  expect(dirname(W)).toBe(base);
});
