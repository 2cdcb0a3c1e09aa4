/** An open directory: its entries, their stats and link targets, and the directories in it. */

import * as fs from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type * as descriptors from '../../src/files/descriptors.ts';
import { openedDirectory } from '../../src/files/local.ts';
import { keptFromClients } from '../../src/files/kept-files.ts';
import type { OpenedDirectory } from '../../src/types/access.ts';
import { temporaryFolder } from '../support/commands.ts';
import { openCount } from '../support/descriptors.ts';
import { makeFifo } from '../support/fifo.ts';

const host = vi.hoisted(() => ({
  /** The code with which descriptors are refused, and for how many attempts. */
  refused: undefined as string | undefined,
  isKernel: false,
  /** What was asked about kernel files. */
  asked: [] as unknown[][],
}));

vi.mock('../../src/files/descriptors.ts', async (original) => {
  const real = await original<typeof descriptors>();
  return {
    ...real,
    openDescriptor(path: string, flags: number) {
      const code = host.refused;
      if (code === undefined) return real.openDescriptor(path, flags);
      return Promise.reject(Object.assign(new Error('refused'), { code }));
    },
    untilDescriptors: (attempt: () => Promise<unknown>) => attempt(),
  };
});

vi.mock('../../src/files/kernel-files.ts', () => ({
  mayBeProcessSecret: () => false,
  isKernelFile(...args: unknown[]) {
    host.asked.push(args);
    return Promise.resolve(host.isKernel);
  },
}));

beforeEach(() => {
  Object.assign(host, { refused: undefined, isKernel: false });
  host.asked.length = 0;
});
afterEach(() => void vi.restoreAllMocks());

/** The directory at `path`, open; on another device if that is said. */
function opened(
  path: string,
  { kept = [], dev }: { readonly kept?: readonly string[]; readonly dev?: bigint } = {},
): OpenedDirectory {
  const fd = fs.openSync(path, 'r');
  const stats = fs.fstatSync(fd, { bigint: true });
  if (dev !== undefined) stats.dev = dev;
  const close = (of: number): void => fs.closeSync(of);
  const inspector = { close } as Partial<descriptors.DescriptorInspector> as descriptors.DescriptorInspector;
  return openedDirectory(fd, path, stats, inspector, {
    kept: { ...keptFromClients([]), places: kept },
    open: () => Promise.reject(new Error(path)),
  });
}

/** A directory with an entry of each type. */
async function kinds(): Promise<string> {
  const W = temporaryFolder();
  fs.writeFileSync(join(W, 'file'), 'text');
  fs.mkdirSync(join(W, 'directory/inner'), { recursive: true });
  fs.symlinkSync('directory', join(W, 'link'));
  makeFifo(join(W, 'fifo'));
  const server = createServer().listen(join(W, 'socket'));
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  return W;
}

const KINDS = { directory: 'directory', fifo: 'fifo', file: 'file', link: 'link', socket: 'socket' };

const named = (entries: readonly { name: string; type: string }[]): object =>
  Object.fromEntries(entries.map(({ name, type }) => [name, type]));

describe.runIf(process.platform === 'linux').each(['linux', 'darwin'] as const)('on %s', (platform) => {
  beforeEach(() => void vi.spyOn(process, 'platform', 'get').mockReturnValue(platform));

  test('its entries with their types', async () => {
    const directory = opened(await kinds());
    const { entries, more } = await directory.list(5);
    expect([named(entries), more]).toStrictEqual([KINDS, false]);
    const some = await directory.list(4);
    expect([some.entries.length, some.more]).toStrictEqual([4, true]);
    expect(await directory.list(0)).toStrictEqual({ entries: [], more: true });
    await directory.close();
  });

  test('devices', async () => {
    const directory = opened('/dev');
    const { entries } = await directory.list(10_000, undefined, 'nul');
    expect(entries).toStrictEqual([{ name: 'null', type: 'device' }]);
    expect(await directory.stat('null')).toMatchObject({ name: 'null', type: 'device' });
    await directory.close();
  });

  test('an entry whose type the system does not tell', async () => {
    vi.spyOn(fs.Dirent.prototype, 'isFile').mockReturnValue(false);
    const W = temporaryFolder();
    fs.writeFileSync(join(W, 'a'), '');
    const directory = opened(W);
    expect((await directory.list(9)).entries).toStrictEqual([{ name: 'a', type: 'unknown' }]);
    await directory.close();
  });

  test('its entries with names that are not UTF-8', async () => {
    const W = temporaryFolder();
    for (const name of ['a', 'b\xff', 'c\xfe']) fs.writeFileSync(Buffer.from(join(W, name), 'latin1'), '');
    const directory = opened(W);
    const { entries, more } = await directory.list(3);
    expect([entries.length, more, entries[0]]).toStrictEqual([3, false, { name: 'a', type: 'file' }]);
    expect(new Set(entries.map(({ name }) => name)).size).toBe(3);
    const some = await directory.list(2);
    expect([some.entries.length, some.more]).toStrictEqual([2, true]);
    await directory.close();
  });

  test('its entries with a prefix', async () => {
    const directory = opened(await kinds());
    expect(named((await directory.list(5, undefined, 'fi')).entries)).toStrictEqual({
      fifo: 'fifo',
      file: 'file',
    });
    expect(await directory.list(1, undefined, 'file')).toStrictEqual({
      entries: [{ name: 'file', type: 'file' }],
      more: false,
    });
    expect(await directory.list(1, undefined, 'fi')).toMatchObject({ more: true });
    await directory.close();
  });

  test('files that are kept from clients are not listed', async () => {
    const W = await kinds();
    const kept = [join(W, 'file'), join(W, 'directory/inner'), '/elsewhere/link', `${W}x/socket`];
    const directory = opened(W, { kept });
    const { file: _, ...others } = KINDS;
    expect(named((await directory.list(10)).entries)).toStrictEqual(others);
    expect(await directory.list(4)).toMatchObject({ more: false });
    const inner = (await directory.enter('directory')) as OpenedDirectory;
    expect((await inner.list(10)).entries).toStrictEqual([]);
    await inner.close();
    await directory.close();
  });

  test('a list ends when the call is cancelled', async () => {
    const directory = opened(await kinds());
    await expect(directory.list(10, AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough');
    await directory.close();
  });

  test('what is known about an entry; links are not followed', async () => {
    const W = await kinds();
    const directory = opened(W);
    for (const [name, type] of Object.entries(KINDS)) {
      const { size, mtimeMs, ino } = fs.lstatSync(join(W, name), { bigint: true });
      expect(await directory.stat(name)).toStrictEqual({
        name,
        type,
        size: Number(size),
        mtimeMs: Number(mtimeMs),
        ino,
      });
    }
    expect(await directory.stat('none')).toBeUndefined();
    expect([await directory.linkTarget('link'), await directory.linkTarget('file')]).toStrictEqual([
      'directory',
      undefined,
    ]);
    await directory.close();
  });

  test('a directory in it is entered, and nothing else', async () => {
    const W = await kinds();
    const directory = opened(W);
    const before = openCount();
    const inner = (await directory.enter('directory')) as OpenedDirectory;
    expect(inner).toMatchObject({ kind: 'directory', path: join(W, 'directory') });
    expect(inner.mtimeMs).toBe(Number(fs.statSync(join(W, 'directory'), { bigint: true }).mtimeMs));
    expect(named((await inner.list(10)).entries)).toStrictEqual({ inner: 'directory' });
    const innermost = (await inner.enter('inner')) as OpenedDirectory;
    expect(innermost.path).toBe(join(W, 'directory/inner'));
    await innermost.close();
    await inner.close();
    for (const name of ['file', 'link', 'fifo', 'socket', 'none'])
      expect(await directory.enter(name)).toBeUndefined();
    expect(openCount()).toBe(before);
    expect(host.asked).toStrictEqual([]);
    await directory.close();
  });

  test('below the root directory paths have one slash', async () => {
    const root = opened('/');
    const inner = await root.enter('usr');
    expect(inner?.path).toBe('/usr');
    await inner?.close();
    await root.close();
  });

  test('one on another device is entered, unless the kernel’s', async () => {
    const W = await kinds();
    const directory = opened(W, { dev: 1n });
    const before = openCount();
    const inner = (await directory.enter('directory')) as OpenedDirectory;
    expect(inner.path).toBe(join(W, 'directory'));
    const again = platform === 'linux' ? `/proc/self/fd/${inner.fd}` : inner.path;
    expect(host.asked).toStrictEqual([[inner.path, again, fs.statSync(W, { bigint: true }).dev]]);
    await inner.close();
    host.isKernel = true;
    expect(await directory.enter('directory')).toBeUndefined();
    expect(openCount()).toBe(before);
    await directory.close();
  });

  test('a shortage of descriptors is an error, no missing entry', async () => {
    const directory = opened(await kinds());
    for (const code of ['EMFILE', 'ENFILE']) {
      host.refused = code;
      await expect(directory.enter('directory')).rejects.toMatchObject({ code });
    }
    host.refused = 'EACCES';
    expect(await directory.enter('directory')).toBeUndefined();
    host.refused = undefined;
    await directory.close();
  });

  test('it is closed once', async () => {
    const W = await kinds();
    const before = openCount();
    const directory = opened(W);
    await directory.close();
    expect(openCount()).toBe(before);
    const other = fs.openSync('/dev/null', 'r');
    await directory.close();
    fs.fstatSync(other);
    fs.closeSync(other);
  });
});

test.runIf(process.platform === 'linux')('it is the same directory after it was renamed', async () => {
  const W = await kinds();
  const directory = opened(join(W, 'directory'));
  fs.renameSync(join(W, 'directory'), join(W, 'moved'));
  fs.mkdirSync(join(W, 'directory'));
  fs.symlinkSync('x', join(W, 'moved/link'));
  expect(named((await directory.list(10)).entries)).toStrictEqual({ inner: 'directory', link: 'link' });
  expect([await directory.linkTarget('link'), (await directory.stat('inner'))?.type]).toStrictEqual([
    'x',
    'directory',
  ]);
  const inner = await directory.enter('inner');
  expect(inner?.path).toBe(join(W, 'directory/inner'));
  await inner?.close();
  await directory.close();
});
