/** An open file: what is read from it and how often, when its descriptor is closed, and when it counts as changed. */

import * as fs from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type * as descriptors from '../../src/files/descriptors.ts';
import { lentFile, openedFile } from '../../src/files/file.ts';
import type { OpenedFile } from '../../src/types/access.ts';
import { temporaryFolder } from '../support/commands.ts';
import { openCount } from '../support/descriptors.ts';

const host = vi.hoisted(() => ({
  /** Reads of descriptors. */
  reads: [] as [length: number, offset: number][],
  /** What a read waits for. */
  gate: undefined as Promise<void> | undefined,
  openFails: undefined as string | undefined,
}));

vi.mock('../../src/files/descriptors.ts', async (original) => {
  const real = await original<typeof descriptors>();
  return {
    ...real,
    async readDescriptor(...args: Parameters<typeof real.readDescriptor>) {
      host.reads.push([args[1].length, args[2]]);
      await host.gate;
      return real.readDescriptor(...args);
    },
    openDescriptor(...args: Parameters<typeof real.openDescriptor>) {
      if (host.openFails === undefined) return real.openDescriptor(...args);
      return Promise.reject(Object.assign(new Error('refused'), { code: host.openFails }));
    },
    untilDescriptors: (attempt: () => Promise<unknown>) => attempt(),
  };
});

beforeEach(() => {
  host.reads.length = 0;
  host.gate = undefined;
  host.openFails = undefined;
});

const KIB = 1 << 10;
const HEAD = 64 * KIB;

const byteAt = (at: number): number => at % 251;
const bytesFrom = (from: number, length: number): Buffer =>
  Buffer.from(Uint8Array.from({ length }, (_, i) => byteAt(from + i)));

interface Made {
  readonly path: string;
  readonly fd: number;
  readonly file: OpenedFile;
  /** Sizes with which the descriptor was closed. */
  readonly closed: (number | undefined)[];
}

type Operations = Parameters<typeof openedFile>[3];

const operations: Operations = {
  isLocal: false,
  stat: (fd) => fs.fstatSync(fd, { bigint: true }),
  close: (fd) => fs.closeSync(fd),
};

/** The file at `path`, open. */
function at(path: string): OpenedFile {
  const fd = fs.openSync(path, 'r');
  return openedFile(fd, path, fs.fstatSync(fd, { bigint: true }), operations, () =>
    Promise.resolve(undefined),
  );
}

/** A file of so many bytes, open. */
function made(bytes: number, own: Partial<Operations> = {}): Made {
  const path = join(temporaryFolder(), 'f');
  fs.writeFileSync(path, bytesFrom(0, bytes));
  const fd = fs.openSync(path, 'r');
  const closed: (number | undefined)[] = [];
  const inspector = {
    ...operations,
    close: (of: number, size?: number) => {
      closed.push(size);
      fs.closeSync(of);
    },
    ...own,
  };
  const stats = fs.fstatSync(fd, { bigint: true });
  const file = openedFile(fd, path, stats, inspector, (suffix) => Promise.reject(new Error(suffix)));
  return { path, fd, file, closed };
}

async function read(file: OpenedFile, offset: number, length: number): Promise<Buffer> {
  const target = Buffer.alloc(length);
  return target.subarray(0, await file.bytes.readInto(target, offset));
}

/** A promise, and the function that fulfils it. */
function gate(): [Promise<void>, () => void] {
  let open = (): void => undefined;
  return [new Promise((resolve) => (open = resolve)), () => open()];
}

describe('what is read', () => {
  test('bytes at the start are read once, others each time', async () => {
    const { file } = made(100 * KIB);
    expect(await read(file, 0, 4)).toStrictEqual(bytesFrom(0, 4));
    expect(await read(file, HEAD - 4, 4)).toStrictEqual(bytesFrom(HEAD - 4, 4));
    expect(host.reads).toStrictEqual([[HEAD, 0]]);
    expect(await read(file, HEAD - 4, 5)).toStrictEqual(bytesFrom(HEAD - 4, 5));
    expect(await read(file, 100 * KIB - 2, 9)).toStrictEqual(bytesFrom(100 * KIB - 2, 2));
    expect(host.reads.slice(1)).toStrictEqual([
      [5, HEAD - 4],
      [2, 100 * KIB - 2],
    ]);
    await file.close();
  });

  test('two reads of the start that run concurrently share one', async () => {
    const { file } = made(100);
    const [first, second] = await Promise.all([read(file, 0, 10), read(file, 90, 20)]);
    expect([first, second]).toStrictEqual([bytesFrom(0, 10), bytesFrom(90, 10)]);
    expect(host.reads).toStrictEqual([[100, 0]]);
    await file.close();
  });

  test('no bytes appended later or behind the end are read', async () => {
    const { path, file } = made(10);
    fs.appendFileSync(path, 'appended');
    expect([await read(file, 0, 100), await read(file, 10, 5), await read(file, 12, 5)]).toStrictEqual([
      bytesFrom(0, 10),
      Buffer.alloc(0),
      Buffer.alloc(0),
    ]);
    expect([file.size, file.bytes.size]).toStrictEqual([10, 10]);
    const large = made(HEAD + 10);
    fs.appendFileSync(large.path, 'appended');
    expect(await read(large.file, HEAD, 100)).toStrictEqual(bytesFrom(HEAD, 10));
    expect(await read(large.file, HEAD + 20, 100)).toStrictEqual(Buffer.alloc(0));
    await Promise.all([file.close(), large.file.close()]);
  });

  test('a file that has become shorter ends where it ends', async () => {
    const { path, file } = made(HEAD + 100);
    fs.truncateSync(path, 50);
    expect(await read(file, 0, 100)).toStrictEqual(bytesFrom(0, 50));
    expect(await read(file, HEAD, 100)).toStrictEqual(Buffer.alloc(0));
    await file.close();
  });

  test('a start in memory is read again, unless cancelled', async () => {
    const { file } = made(100, { isLocal: true });
    const stop = AbortSignal.abort(new Error('enough'));
    await expect(file.bytes.readInto(Buffer.alloc(4), 0, stop)).rejects.toThrow('enough');
    expect(host.reads).toStrictEqual([]);
    expect(await read(file, 8, 4)).toStrictEqual(bytesFrom(8, 4));
    expect(await read(file, 9, 4)).toStrictEqual(bytesFrom(9, 4));
    await expect(file.bytes.readInto(Buffer.alloc(4), 0, stop)).rejects.toThrow('enough');
    await file.close();
  });

  test('a cancelled call does not read behind the start', async () => {
    const { file } = made(HEAD + 100);
    const stop = AbortSignal.abort(new Error('enough'));
    await expect(file.bytes.readInto(Buffer.alloc(4), HEAD, stop)).rejects.toThrow('enough');
    await file.close();
  });
});

describe('closing', () => {
  test('closes the descriptor once, with the size of the file', async () => {
    const { file, closed } = made(10);
    await file.close();
    await file.close();
    expect(closed).toStrictEqual([10]);
  });

  test('waits for the descriptor to be closed', async () => {
    const [closing, open] = gate();
    const { file } = made(10, { close: (fd) => closing.then(() => fs.closeSync(fd)) });
    let isClosed = false;
    const over = file.close().then(() => (isClosed = true));
    await new Promise((resolve) => setImmediate(resolve));
    expect(isClosed).toBe(false);
    open();
    await over;
  });

  test('a file that is closed is not read', async () => {
    const { file } = made(10);
    await read(file, 0, 1);
    await file.close();
    const error = { code: 'CANCELLED', message: 'The call is over.' };
    await expect(read(file, 0, 1)).rejects.toMatchObject(error);
    await expect(file.bytes.changed?.()).rejects.toMatchObject(error);
  });

  test.each([
    ['the start', 0],
    ['what follows', HEAD],
  ])('a descriptor stays open while any read of %s runs', async (_, offset) => {
    const { file, closed } = made(HEAD + 10);
    const [wait, open] = gate();
    host.gate = wait;
    const reads = [read(file, offset, 4), read(file, offset, 4)];
    await file.close();
    expect(closed).toStrictEqual([]);
    open();
    expect(await Promise.all(reads)).toStrictEqual([bytesFrom(offset, 4), bytesFrom(offset, 4)]);
    expect(closed).toStrictEqual([HEAD + 10]);
  });

  test('also until it is known whether the file has changed', async () => {
    const [wait, open] = gate();
    const { file, closed } = made(10, {
      stat: (fd) => wait.then(() => fs.fstatSync(fd, { bigint: true })),
    });
    const asked = file.bytes.changed?.();
    await file.close();
    expect(closed).toStrictEqual([]);
    open();
    expect(await asked).toBe(false);
    expect(closed).toStrictEqual([10]);
  });
});

describe('whether a file has changed', () => {
  const past = new Date(1_700_000_000_000);

  test('by its size or its time of modification', async () => {
    const { path, file } = made(10);
    expect(await file.bytes.changed?.()).toBe(false);
    fs.utimesSync(path, past, past);
    expect(await file.bytes.changed?.()).toBe(true);
    await file.close();
    const longer = at(path);
    expect(await longer.bytes.changed?.()).toBe(false);
    fs.appendFileSync(path, 'x');
    fs.utimesSync(path, past, past);
    expect(await longer.bytes.changed?.()).toBe(true);
    await longer.close();
  });

  test('a file whose name another took is unchanged', async () => {
    const { path, file } = made(10);
    fs.renameSync(path, `${path}-old`);
    fs.writeFileSync(path, 'another');
    expect(await file.bytes.changed?.()).toBe(false);
    await file.close();
  });

  test.each([
    [-1, true],
    [0, false],
    [19, false],
    [20, true],
    [1e9, true],
  ])('%d ms after a change the identity is lasting: %j', async (ms, recurs) => {
    const path = join(temporaryFolder(), 'f');
    fs.writeFileSync(path, 'x');
    vi.spyOn(Date, 'now').mockReturnValue(Number(fs.statSync(path, { bigint: true }).ctimeMs) + ms);
    const file = at(path);
    vi.restoreAllMocks();
    expect(file.bytes.identity.recurs).toBe(recurs);
    await file.close();
  });
});

test('what is known about a file and its siblings', async () => {
  const { path, fd, file } = made(10);
  const { mtimeMs } = fs.statSync(path, { bigint: true });
  expect(file).toMatchObject({ kind: 'file', path, fd, size: 10, mtimeMs: Number(mtimeMs) });
  await expect(file.sibling?.('-wal')).rejects.toThrow('-wal');
  await file.close();
});

describe.runIf(process.platform === 'linux')('a file that a thread holds open', () => {
  /** As a thread would hold it. */
  function held(): { readonly path: string; readonly lent: { fd: number; dev: number; ino: number } } {
    const path = join(temporaryFolder(), 'f');
    fs.writeFileSync(path, bytesFrom(0, 100));
    const fd = fs.openSync(path, 'r');
    onTestFinished(() => fs.closeSync(fd));
    const { dev, ino } = fs.fstatSync(fd);
    return { path, lent: { fd, dev, ino } };
  }

  test('is opened again and read after the thread closed it', async () => {
    const { path, lent } = held();
    const before = openCount();
    const file = (await lentFile(lent, path)) as OpenedFile;
    expect(file).toMatchObject({ kind: 'file', path, size: 100 });
    expect(file.fd).not.toBe(lent.fd);
    fs.rmSync(path);
    expect(await read(file, 90, 20)).toStrictEqual(bytesFrom(90, 10));
    expect(await file.sibling?.('-wal')).toBeUndefined();
    expect(await file.bytes.changed?.()).toBe(false);
    await file.close();
    expect(openCount()).toBe(before);
    expect(fs.fstatSync(lent.fd).ino).toBe(lent.ino);
  });

  test.each([
    ['another device', { dev: 1 }],
    ['another file', { ino: 1 }],
    ['nothing', { fd: 999_999 }],
  ])('is not opened if its descriptor now belongs to %s', async (_, change) => {
    const { path, lent } = held();
    const before = openCount();
    expect(await lentFile({ ...lent, ...change }, path)).toBeUndefined();
    expect(openCount()).toBe(before);
  });

  test('is given back if its descriptor became another file meanwhile', async () => {
    const { path, lent } = held();
    const before = openCount();
    const real = fs.fstatSync(lent.fd);
    let asked = 0;
    const changing = {
      fd: lent.fd,
      dev: lent.dev,
      get ino() {
        return (asked += 1) === 1 ? real.ino : real.ino + 1;
      },
    };
    expect(await lentFile(changing, path)).toBeUndefined();
    expect([asked, openCount()]).toStrictEqual([2, before]);
  });

  test.each(['ENOENT', 'EACCES'])('is not there if it cannot be opened again: %s', async (code) => {
    const { path, lent } = held();
    host.openFails = code;
    expect(await lentFile(lent, path)).toBeUndefined();
  });

  test('a shortage of descriptors is an error', async () => {
    const { path, lent } = held();
    host.openFails = 'EMFILE';
    await expect(lentFile(lent, path)).rejects.toMatchObject({ code: 'EMFILE' });
  });
});
