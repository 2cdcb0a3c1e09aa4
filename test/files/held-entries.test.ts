/**
 * Directories that a walk holds: their entries, what is entered, and which files are opened. Also as on systems where
 * directories cannot be held by descriptor.
 */

import * as fs from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type * as held from '../../src/files/held-directory.ts';
import { fileKey, keptFromClients } from '../../src/files/kept-files.ts';
import { temporaryFolder } from '../support/commands.ts';
import { openCount } from '../support/descriptors.ts';
import { makeFifo } from '../support/fifo.ts';

const NOTHING = keptFromClients([]);

const host = vi.hoisted(() => ({
  /** The code with which an open of this path fails. */
  refused: undefined as ((path: string) => string | undefined) | undefined,
  /** Entries do not tell their types. */
  untyped: false,
  /** Bytes that a read returns at most. */
  most: Number.POSITIVE_INFINITY,
  /** Devices of the kernel, and the paths that were asked about. */
  kernel: false,
  asked: [] as string[],
  statFails: false,
  /** The size of directories, instead of the real one. */
  size: undefined as number | undefined,
  /** The one question about the type of an entry that is answered with yes, instead of the real type. */
  type: undefined as string | undefined,
  /** How directories were read, and the paths whose stats were read. */
  listed: [] as string[],
  stats: [] as string[],
}));

vi.mock('node:fs', async (original) => {
  const real = await original<typeof fs>();
  const QUESTIONS = [
    'isFile',
    'isDirectory',
    'isSymbolicLink',
    'isFIFO',
    'isSocket',
    'isCharacterDevice',
    'isBlockDevice',
  ];
  const answers = (): object =>
    Object.fromEntries(QUESTIONS.map((question) => [question, () => question === host.type]));
  return {
    ...real,
    openSync(path: string, flags: number) {
      const code = host.refused?.(path);
      if (code !== undefined) throw Object.assign(new Error(code), { code });
      return real.openSync(path, flags);
    },
    fstatSync(fd: number, options?: object) {
      if (host.statFails) throw Object.assign(new Error('EIO'), { code: 'EIO' });
      const stats = real.fstatSync(fd, options as never) as unknown as fs.Stats;
      return host.size !== undefined && stats.isDirectory()
        ? Object.assign(stats, { size: host.size })
        : stats;
    },
    lstatSync(path: string, options: object) {
      host.stats.push(path);
      const stats = real.lstatSync(path, options as never) as unknown as fs.Stats | undefined;
      return host.size !== undefined && stats?.isDirectory()
        ? Object.assign(stats, { size: host.size })
        : stats;
    },
    readdirSync(path: string, options: never) {
      host.listed.push('at once');
      const entries = real.readdirSync(path, options) as unknown as fs.Dirent[];
      return host.untyped ? entries.map(({ name }) => ({ name, ...answers() })) : entries;
    },
    opendirSync(path: string, options: never) {
      host.listed.push('one by one');
      return real.opendirSync(path, options);
    },
    readSync: (fd: number, target: Buffer, at: number, length: number, from: number) =>
      real.readSync(fd, target, at, Math.min(length, host.most), from),
  };
});

vi.mock('../../src/files/kernel-files.ts', () => ({
  mayBeProcessSecret: () => false,
  isKernelFileSystem(path: string) {
    host.asked.push(path);
    return host.kernel;
  },
}));

let now: typeof held;

describe.runIf(process.platform === 'linux').each(['linux', 'darwin'] as const)('on %s', (platform) => {
  const byDescriptor = platform === 'linux';

  beforeAll(async () => {
    vi.resetModules();
    // It is read when the module is loaded.
    const mocked = vi.spyOn(process, 'platform', 'get').mockReturnValue(platform);
    now = await import('../../src/files/held-directory.ts');
    mocked.mockRestore();
  });

  beforeEach(() => {
    Object.assign(host, { refused: undefined, untyped: false, kernel: false, statFails: false });
    Object.assign(host, { size: undefined, type: undefined });
    host.most = Number.POSITIVE_INFINITY;
    host.asked.length = 0;
    now.forgetDevices();
    now.skipFiles(NOTHING);
  });

  /** The directory, held; the caller's own descriptor is closed. */
  function adopted(path: string): held.HeldDirectory {
    const fd = fs.openSync(path, 'r');
    try {
      return now.HeldDirectory.adopt(path, fd);
    } finally {
      fs.closeSync(fd);
    }
  }

  /** A directory with an entry of each type, held. */
  function kinds(): held.HeldDirectory {
    const W = temporaryFolder();
    fs.writeFileSync(join(W, 'file'), 'text');
    fs.writeFileSync(join(W, 'ä'), '');
    fs.mkdirSync(join(W, 'directory'));
    fs.symlinkSync('file', join(W, 'link'));
    fs.symlinkSync('directory', join(W, 'link-to-directory'));
    makeFifo(join(W, 'fifo'));
    return adopted(W);
  }

  const KINDS = [
    { name: 'directory', kind: 'directory' },
    { name: 'fifo', kind: 'other' },
    { name: 'file', kind: 'file' },
    { name: 'link', kind: 'link' },
    { name: 'link-to-directory', kind: 'link' },
    { name: 'Ã¤', kind: 'file' },
  ];

  test('it is known by its path and by its identity', () => {
    const W = temporaryFolder();
    const directory = adopted(W);
    const { dev, ino } = fs.statSync(W);
    expect(directory).toMatchObject({ path: W, dev, ino });
    expect(directory.self).toMatch(byDescriptor ? /^\/proc\/\d+\/fd\/\d+$/ : W);
    directory.release();
  });

  test('its entries with their types, sorted by their bytes', () => {
    const directory = kinds();
    expect(directory.entries(10)).toEqual({ entries: KINDS, more: false });
    expect(directory.entries(6)).toEqual({ entries: KINDS, more: false });
    const some = directory.entries(5);
    expect([some.entries.length, some.more]).toEqual([5, true]);
    expect(KINDS).toEqual(expect.arrayContaining(some.entries));
    directory.release();
  });

  test('the same where the file system tells no types', () => {
    const directory = kinds();
    host.untyped = true;
    expect(directory.entries(10)).toEqual({ entries: KINDS, more: false });
    directory.release();
  });

  test.each([
    ['isFile', 'file'],
    ['isDirectory', 'directory'],
    ['isSymbolicLink', 'link'],
    ['isFIFO', 'other'],
    ['isSocket', 'other'],
    ['isCharacterDevice', 'other'],
    ['isBlockDevice', 'other'],
  ])('where it tells them, no stats are read: %s', (type, kind) => {
    const directory = kinds();
    Object.assign(host, { untyped: true, type });
    host.stats.length = 0;
    const { entries } = directory.entries(10);
    expect(entries).toEqual(KINDS.map(({ name }) => ({ name, kind })));
    expect(host.stats).toEqual([]);
    directory.release();
  });

  // A large directory is never whole in memory.
  test.each([
    [0, 'one by one'],
    [1, 'at once'],
    [65_536, 'at once'],
    [65_537, 'one by one'],
  ])('a directory of %d bytes is read %s', (size, how) => {
    host.size = size;
    const directory = kinds();
    host.listed.length = 0;
    expect(directory.entries(6)).toEqual({ entries: KINDS, more: false });
    expect(directory.entries(5)).toMatchObject({ more: true });
    expect(host.listed).toEqual([how, how]);
    directory.release();
  });

  test('entries of a large directory, or one of unknown size', () => {
    const W = temporaryFolder();
    const names = Array.from({ length: 400 }, (_, i) => `${i}-`.padEnd(200, 'x'));
    for (const name of names) fs.writeFileSync(join(W, name), '');
    fs.mkdirSync(join(W, 'directory'));
    const directory = adopted(W);
    const { entries, more } = directory.entries(401);
    expect(more).toBe(false);
    expect(entries).toEqual([
      ...names.toSorted().map((name) => ({ name, kind: 'file' })),
      { name: 'directory', kind: 'directory' },
    ]);
    const some = directory.entries(400);
    expect([some.entries.length, some.more]).toEqual([400, true]);
    expect(some.entries.map(({ name }) => name)).toEqual(some.entries.map(({ name }) => name).toSorted());
    directory.release();
    const kernel = adopted('/proc/self/task');
    expect(kernel.entries(10_000).entries).toContainEqual({ name: String(process.pid), kind: 'directory' });
    const before = openCount();
    expect(kernel.entries(0)).toEqual({ entries: [], more: true });
    expect(openCount()).toBe(before);
    kernel.release();
  });

  test('what an entry is, and its facts', () => {
    const directory = kinds();
    const W = directory.path;
    const names = [...KINDS.map(({ name }) => name), 'none'];
    expect(names.map((name) => directory.kindOf(name))).toEqual([
      ...KINDS.map(({ kind }) => kind),
      undefined,
    ]);
    const files = names.filter((name) => directory.factsOf(name) !== undefined);
    expect(files).toEqual(['file', 'Ã¤']);
    expect(directory.factsOf('file')).toEqual(fs.lstatSync(join(W, 'file'), { bigint: true }));
    expect([directory.modified('link'), directory.modified('none')]).toEqual([
      fs.lstatSync(join(W, 'link')).mtimeMs,
      0,
    ]);
    directory.release();
  });

  test('only its directories inside the roots are entered', () => {
    const directory = kinds();
    const W = directory.path;
    const before = openCount();
    for (const roots of [[], [W], ['/nowhere', join(W, 'directory')]]) {
      const inner = directory.enter('directory', roots);
      expect(inner).toMatchObject({ path: join(W, 'directory'), ino: fs.statSync(join(W, 'directory')).ino });
      expect(inner?.entries(1)).toEqual({ entries: [], more: false });
      inner?.release();
    }
    expect(directory.enter('directory', [join(W, 'other'), `${W}x`])).toBeUndefined();
    expect(openCount()).toBe(before);
    if (byDescriptor)
      for (const name of ['file', 'link', 'link-to-directory', 'fifo', 'none'])
        expect(() => directory.enter(name, [])).toThrow(/ENOTDIR|ELOOP|ENOENT/);
    else expect(() => directory.enter('none', [])).toThrow('ENOENT');
    expect(openCount()).toBe(before);
    directory.release();
  });

  test('a directory with a name that is not ASCII', () => {
    const W = temporaryFolder();
    fs.mkdirSync(join(W, 'ü/é'), { recursive: true });
    const directory = adopted(W);
    const inner = directory.enter('Ã¼', [now.pathToLatin1(join(W, 'ü'))]) as held.HeldDirectory;
    expect(inner.path).toBe(now.pathToLatin1(join(W, 'ü')));
    expect(inner.entries(2)).toEqual({ entries: [{ name: 'Ã©', kind: 'directory' }], more: false });
    const again = adopted(join(W, 'ü'));
    expect(again.path).toBe(inner.path);
    expect(again.kindOf('Ã©')).toBe('directory');
    for (const one of [again, inner, directory]) one.release();
  });

  test('the root directory has entries of one slash', () => {
    const root = adopted('/');
    const inner = root.enter('usr', []);
    expect(inner?.path).toBe('/usr');
    inner?.release();
    root.release();
  });

  test('kernel file systems are not entered, each is asked once', () => {
    const root = adopted('/');
    const before = openCount();
    host.kernel = true;
    for (let i = 0; i < 2; i += 1) expect(root.enter('proc', [])).toBeUndefined();
    expect(host.asked).toHaveLength(1);
    expect(openCount()).toBe(before);
    now.forgetDevices();
    host.kernel = false;
    const inner = root.enter('proc', []) as held.HeldDirectory;
    expect(host.asked).toHaveLength(2);
    expect(host.asked[1]).toBe(inner.self);
    // On its own device nothing is asked.
    inner.enter('sys', [])?.release();
    expect(host.asked).toHaveLength(2);
    inner.release();
    root.release();
  });

  test('it is closed by the last of its users', () => {
    const W = temporaryFolder();
    fs.writeFileSync(join(W, 'f'), '');
    const before = openCount();
    const directory = adopted(W);
    expect(openCount()).toBe(before + (byDescriptor ? 1 : 0));
    expect(directory.share()).toBe(directory);
    directory.release();
    expect(directory.kindOf('f')).toBe('file');
    directory.release();
    expect(openCount()).toBe(before);
  });

  test('a directory whose stats cannot be read is closed', () => {
    const W = temporaryFolder();
    if (!byDescriptor) return;
    const before = openCount();
    host.statFails = true;
    expect(() => adopted(W)).toThrow('EIO');
    host.statFails = false;
    expect(openCount()).toBe(before);
  });

  test('a regular file is opened, and nothing else', () => {
    const directory = kinds();
    const { path } = directory;
    const before = openCount();
    const stats = fs.statSync(join(path, 'file'));
    const file = now.openHeld(directory, 'file') as held.HeldFile;
    const { dev, ino, mtimeMs } = stats;
    expect(file).toEqual({ fd: file.fd, size: 4, dev, ino, mtimeMs });
    expect(fs.readFileSync(file.fd, 'utf8')).toBe('text');
    now.closeHeld(file);
    const other = now.openHeld(directory, 'Ã¤') as held.HeldFile;
    expect(other.size).toBe(0);
    now.closeHeld(other);
    expect([now.openHeld(directory, 'directory'), now.openHeld(directory, 'fifo')]).toEqual([
      undefined,
      undefined,
    ]);
    expect(() => now.openHeld(directory, 'link')).toThrow('ELOOP');
    expect(() => now.openHeld(directory, 'none')).toThrow('ENOENT');
    host.statFails = true;
    expect(() => now.openHeld(directory, 'file')).toThrow('EIO');
    host.statFails = false;
    expect(host.asked).toEqual([]);
    expect(openCount()).toBe(before);
    directory.release();
  });

  test('a file on another device is opened, except kernel files', () => {
    const directory = kinds();
    const { self, dev } = directory;
    const elsewhere = { self, dev: dev + 1, isPrivate: () => false };
    const before = openCount();
    host.kernel = true;
    expect(now.openHeld(elsewhere, 'file')).toBeUndefined();
    now.forgetDevices();
    host.kernel = false;
    const file = now.openHeld(elsewhere, 'file') as held.HeldFile;
    expect(file.size).toBe(4);
    if (byDescriptor) expect(host.asked.at(-1)).toBe(`/proc/${process.pid}/fd/${file.fd}`);
    now.closeHeld(file);
    expect(openCount()).toBe(before);
    directory.release();
  });

  test('a file kept from clients is opened under no name', () => {
    const directory = kinds();
    const { path } = directory;
    const before = openCount();
    fs.linkSync(join(path, 'file'), join(path, 'another-name'));
    const key = fileKey(fs.statSync(join(path, 'file'), { bigint: true }));
    now.skipFiles({ ...NOTHING, files: new Set([key]) });
    expect([now.openHeld(directory, 'file'), now.openHeld(directory, 'another-name')]).toEqual([
      undefined,
      undefined,
    ]);
    const other = now.openHeld(directory, 'Ã¤') as held.HeldFile;
    now.closeHeld(other);
    now.skipFiles(NOTHING);
    const file = now.openHeld(directory, 'file') as held.HeldFile;
    expect(file.size).toBe(4);
    now.closeHeld(file);
    expect(openCount()).toBe(before);
    directory.release();
  });

  test('part of a file is read, in however many reads', () => {
    const directory = kinds();
    fs.writeFileSync(join(directory.path, 'digits'), '0123456789');
    const file = now.openHeld(directory, 'digits') as held.HeldFile;
    const read = (at: number, length: number, from?: number): string => {
      const target = Buffer.from('------------');
      return `${now.readHeld(file, target, at, length, from)} ${target}`;
    };
    for (const most of [100, 3]) {
      host.most = most;
      expect([
        read(0, 4),
        read(2, 4),
        read(1, 5, 3),
        read(0, 12),
        read(2, 9, 8),
        read(0, 0),
        read(0, 5, 10),
      ]).toEqual([
        '4 0123--------',
        '4 --0123------',
        '5 -34567------',
        '10 0123456789--',
        '2 --89--------',
        '0 ------------',
        '0 ------------',
      ]);
    }
    now.closeHeld(file);
    directory.release();
  });

  test('one read gets the start, what has no offsets fails', () => {
    const directory = kinds();
    const { self, path } = directory;
    fs.writeFileSync(join(path, 'digits'), '0123456789');
    const before = openCount();
    const target = Buffer.from('------');
    expect([now.peekHeld(self, 'digits', target, 2), target.toString()]).toEqual([4, '--0123']);
    for (const name of ['fifo', 'directory', 'link', 'none'])
      expect(() => now.peekHeld(self, name, target, 0)).toThrow(/ESPIPE|EISDIR|ELOOP|ENOENT/);
    expect(openCount()).toBe(before);
    directory.release();
  });

  test('why something could not be opened', () => {
    const reasons = {
      gone: ['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO'],
      deep: ['ENAMETOOLONG'],
      shortage: ['EMFILE', 'ENFILE'],
      failed: ['EIO'],
      denied: ['EACCES', 'EX'],
    };
    for (const [reason, codes] of Object.entries(reasons))
      for (const code of codes)
        expect(now.openRefusalFor(Object.assign(new Error(code), { code }))).toBe(reason);
    const bug = new TypeError('a bug');
    expect(() => now.openRefusalFor(bug)).toThrow(bug);
  });
});
