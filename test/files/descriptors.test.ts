/** Descriptors: retries when there are none left, and how files are opened, read and closed. */

import * as fs from 'node:fs';
import { join } from 'node:path';
import type * as timers from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  closeDescriptor,
  inspectorOf,
  maxDescriptors,
  openDescriptor,
  openOnMainThread,
  readDescriptor,
  untilDescriptors,
} from '../../src/files/descriptors.ts';
import { temporaryFolder } from '../support/commands.ts';

const host = vi.hoisted(() => ({
  isLocal: true,
  /** Bytes that a read returns at most. */
  most: Number.POSITIVE_INFINITY,
  /** Fails a read at this position. */
  broken: undefined as number | undefined,
  reads: [] as [position: number, length: number][],
  limits: undefined as string | undefined,
  isMounted: true,
  /** The time in ms, which passes only while somebody waits; undefined for real time. */
  clock: undefined as number | undefined,
  /** Descriptors that were closed on the main thread, and in a thread. */
  closed: { main: [] as number[], thread: [] as number[] },
}));

vi.mock('../../src/files/mounts.ts', async (original) => ({
  ...(await original<typeof import('../../src/files/mounts.ts')>()),
  isLocalPath: () => host.isLocal,
}));

vi.mock('node:timers/promises', async (original) => {
  const real = await original<typeof timers>();
  const setTimeout = async (...[ms = 0, value, options]: Parameters<typeof real.setTimeout>) => {
    if (host.clock === undefined || options?.signal?.aborted) return real.setTimeout(ms, value, options);
    host.clock += ms;
    return value;
  };
  return { ...real, setTimeout };
});

vi.mock('node:fs', async (original) => {
  const real = await original<typeof fs>();
  return {
    ...real,
    read(fd: number, target: Buffer, at: number, length: number, position: number, done: never) {
      host.reads.push([position, length]);
      if (position === host.broken) {
        const error = Object.assign(new Error('input/output error'), { code: 'EIO' });
        return setImmediate(done as (error: Error) => void, error);
      }
      return real.read(fd, target, at, Math.min(length, host.most), position, done);
    },
    readFileSync(path: string, encoding: 'latin1') {
      if (path !== '/proc/self/limits' || host.limits === undefined) return real.readFileSync(path, encoding);
      if (host.limits === '') throw new Error('no such file');
      return host.limits;
    },
    existsSync: (path: string) => host.isMounted && real.existsSync(path),
    closeSync(fd: number) {
      host.closed.main.push(fd);
      real.closeSync(fd);
    },
    close(fd: number, done: fs.NoParamCallback) {
      host.closed.thread.push(fd);
      real.close(fd, done);
    },
  };
});

beforeEach(() => {
  Object.assign(host, {
    isLocal: true,
    most: Number.POSITIVE_INFINITY,
    broken: undefined,
    limits: undefined,
  });
  host.reads.length = 0;
  host.closed.main.length = 0;
  host.closed.thread.length = 0;
});

const isOpen = (fd: number): boolean => {
  try {
    fs.fstatSync(fd);
    return true;
  } catch {
    return false;
  }
};

/** A file of so many bytes, open; `0 1 2 … 250 0 1 …`. */
function opened(bytes: number): { readonly path: string; readonly fd: number } {
  const path = join(temporaryFolder(), 'f');
  fs.writeFileSync(
    path,
    Uint8Array.from({ length: bytes }, (_, i) => i % 251),
  );
  const fd = fs.openSync(path, 'r');
  onTestFinished(() => {
    if (isOpen(fd)) fs.closeSync(fd);
  });
  return { path, fd };
}

describe('an attempt that needs a descriptor', () => {
  const shortage = (code = 'EMFILE'): Error => Object.assign(new Error('too many open files'), { code });

  beforeEach(() => {
    host.clock = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => host.clock as number);
  });
  afterEach(() => {
    host.clock = undefined;
    vi.restoreAllMocks();
  });

  test('is repeated with growing pauses for two seconds', async () => {
    const at: number[] = [];
    const error = shortage();
    const result = untilDescriptors(() => {
      at.push(performance.now());
      return Promise.reject(error);
    });
    await expect(result).rejects.toBe(error);
    expect(at.slice(0, 8)).toStrictEqual([0, 5, 15, 35, 75, 155, 255, 355]);
    expect(at.slice(-2)).toStrictEqual([1_955, 2_055]);
  });

  test.each(['EMFILE', 'ENFILE'])('after %s it may succeed, also at the last moment', async (code) => {
    let attempts = 0;
    const after = async (needed: number): Promise<unknown> =>
      untilDescriptors(() =>
        (attempts += 1) === needed ? Promise.resolve(performance.now()) : Promise.reject(shortage(code)),
      );
    expect([await after(3), attempts]).toStrictEqual([15, 3]);
    [attempts, host.clock] = [0, 0];
    expect(await after(25)).toBe(2_055);
  });

  test('is not repeated after another failure', async () => {
    const attempt = vi.fn(() => Promise.reject(shortage('ENOENT')));
    await expect(untilDescriptors(attempt)).rejects.toThrow('too many open files');
    expect(attempt).toHaveBeenCalledTimes(1);
  });

  test('is not repeated when the call is cancelled', async () => {
    const stop = new AbortController();
    const attempt = vi.fn(() => {
      stop.abort();
      return Promise.reject(shortage());
    });
    await expect(untilDescriptors(attempt, stop.signal)).rejects.toMatchObject({ name: 'AbortError' });
    expect(attempt).toHaveBeenCalledTimes(1);
  });
});

describe('reading', () => {
  const read = async (length: number, offset: number, bytes = 1_000): Promise<number[]> => {
    const target = new Uint8Array(length).fill(255);
    const got = await readDescriptor(opened(bytes).fd, target, offset);
    return [got, ...target];
  };

  test('fills the target from the offset', async () => {
    expect(await read(4, 0)).toStrictEqual([4, 0, 1, 2, 3]);
    expect(await read(4, 300)).toStrictEqual([4, 49, 50, 51, 52]);
    expect(await read(0, 300)).toStrictEqual([0]);
  });

  test('fewer bytes only at the end of the file', async () => {
    expect(await read(4, 998)).toStrictEqual([2, 245, 246, 255, 255]);
    expect(await read(2, 1_000)).toStrictEqual([0, 255, 255]);
    host.most = 3;
    host.reads.length = 0;
    expect(await read(8, 10)).toStrictEqual([8, 10, 11, 12, 13, 14, 15, 16, 17]);
    expect(host.reads).toStrictEqual([
      [10, 8],
      [13, 5],
      [16, 2],
    ]);
  });

  test('stops when the call is cancelled, and at a failure', async () => {
    const { fd } = opened(100);
    const reason = new Error('enough');
    await expect(readDescriptor(fd, new Uint8Array(4), 0, AbortSignal.abort(reason))).rejects.toBe(reason);
    expect(host.reads).toStrictEqual([]);
    host.most = 3;
    host.broken = 3;
    await expect(readDescriptor(fd, new Uint8Array(8), 0)).rejects.toMatchObject({ code: 'EIO' });
    expect(host.reads).toStrictEqual([
      [0, 8],
      [3, 5],
    ]);
  });
});

describe('the operations for a path', () => {
  test('on local file systems are done on the main thread', () => {
    const { path, fd } = opened(10);
    const inspector = inspectorOf(path);
    expect(inspector.isLocal).toBe(true);
    const again = inspector.open(path, fs.constants.O_RDONLY) as number;
    expect(inspector.stat(again)).toStrictEqual(fs.fstatSync(fd, { bigint: true }));
    fs.symlinkSync('f', `${path}-link`);
    expect(inspector.readlink(`${path}-link`)).toBe('f');
    expect(inspector.close(again, 10)).toBeUndefined();
    expect([isOpen(again), host.closed]).toStrictEqual([false, { main: [again], thread: [] }]);
    // Nobody can do anything about a failure to close.
    expect(inspector.close(again, 10)).toBeUndefined();
    expect(() => openOnMainThread(`${path}-none`, 0)).toThrow('ENOENT');
  });

  test('elsewhere are done in a thread', async () => {
    host.isLocal = false;
    const { path, fd } = opened(10);
    const inspector = inspectorOf(path);
    expect(inspector.isLocal).toBe(false);
    const opening = inspector.open(path, fs.constants.O_RDONLY);
    expect(opening).toBeInstanceOf(Promise);
    const again = await opening;
    const asked = inspector.stat(again);
    expect(asked).toBeInstanceOf(Promise);
    expect(await asked).toStrictEqual(fs.fstatSync(fd, { bigint: true }));
    fs.symlinkSync('f', `${path}-link`);
    const target = inspector.readlink(`${path}-link`);
    expect([target instanceof Promise, await target]).toStrictEqual([true, 'f']);
    await inspector.close(again, 10);
    expect([isOpen(again), host.closed]).toStrictEqual([false, { main: [], thread: [again] }]);
    await inspector.close(again, 10);
    await expect(openDescriptor(`${path}-none`, 0)).rejects.toThrow('ENOENT');
    await closeDescriptor(-1).catch(() => expect.unreachable());
  });

  test.each([
    [64 << 10, false, 'main'],
    [64 << 10, true, 'main'],
    [(64 << 10) + 1, false, 'main'],
    [(64 << 10) + 1, true, 'thread'],
    [undefined, false, 'main'],
    [undefined, true, 'thread'],
  ] as const)('%d bytes, deleted: %j: the file closes in the %s', async (size, isDeleted, where) => {
    const { path, fd } = opened(10);
    if (isDeleted) fs.rmSync(path);
    await inspectorOf(path).close(fd, size);
    expect([isOpen(fd), host.closed]).toStrictEqual([false, { main: [], thread: [], [where]: [fd] }]);
  });

  test('a closed descriptor counts as one of a named file', async () => {
    const { path, fd } = opened(10);
    fs.closeSync(fd);
    host.closed.main.length = 0;
    await inspectorOf(path).close(fd);
    expect(host.closed).toStrictEqual({ main: [fd], thread: [] });
  });
});

test.runIf(process.platform === 'linux')(
  'without /proc descriptors have no paths, which is said',
  async () => {
    const told = async (isMounted: boolean): Promise<unknown[]> => {
      host.isMounted = isMounted;
      onTestFinished(() => void (host.isMounted = true));
      vi.resetModules();
      const { hasDescriptorPaths, missingProc } = await import('../../src/files/descriptors.ts');
      return [hasDescriptorPaths(), missingProc()];
    };
    expect(await told(true)).toEqual([true, undefined]);
    expect(await told(false)).toEqual([
      false,
      'There is no /proc here. So a file that is replaced while it is opened may be read before that is noticed, and processes that leave the process group of their command outlive it. Mount /proc to prevent both.',
    ]);
    const platform = vi.spyOn(process, 'platform', 'get').mockReturnValue('darwin');
    onTestFinished(() => platform.mockRestore());
    expect([await told(true), await told(false)]).toEqual([
      [false, undefined],
      [false, undefined],
    ]);
  },
);

describe('how many descriptors this process may have', () => {
  const ROWS = ['Limit  Soft Limit  Hard Limit  Units', 'Max processes  10  20  processes'];

  test.each<[string, string, number | undefined]>([
    [
      'is the soft limit',
      [...ROWS, 'Max open files            1024      524288       files', ''].join('\n'),
      1_024,
    ],
    [
      'is unknown without a limit',
      [...ROWS, 'Max open files            unlimited unlimited    files'].join('\n'),
      undefined,
    ],
    ['is unknown if it is not in the list', ROWS.join('\n'), undefined],
    ['is read only at the start of a line', 'See Max open files  7\n', undefined],
    ['is unknown without a list', '', undefined],
  ])('%s', (_, text, expected) => {
    host.limits = text;
    expect(maxDescriptors()).toBe(expected);
  });
});
