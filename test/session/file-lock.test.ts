import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { withFileLock } from '../../src/session/file-lock.ts';
import { ownName } from '../../src/session/owner.ts';
import { temporaryFolder } from '../support/commands.ts';

/**
 * `paths`: files that cannot be removed, as in a directory that cannot be written. `takeover`: runs before a stale lock is
 * removed. `attempt`: runs before each attempt to create a lock. `isFull`: files can be created, but not written.
 */
const hooks = vi.hoisted(() => ({
  paths: new Set<string>(),
  takeover: (): void => undefined,
  attempt: (): void => undefined,
  isFull: false,
}));
vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>();
  const rm: typeof real.rm = async (path, options) => {
    if (hooks.paths.has(path as string)) throw Object.assign(new Error('EACCES'), { code: 'EACCES' });
    await real.rm(path, options);
  };
  const open: typeof real.open = async (path, ...rest) => {
    if (String(path).includes('.turn')) hooks.takeover();
    else hooks.attempt();
    const handle = await real.open(path, ...rest);
    if (hooks.isFull) handle.writeFile = () => Promise.reject(new Error('ENOSPC'));
    return handle;
  };
  return { ...real, rm, open };
});

const act = (): Promise<string> => Promise.resolve('done');

test('a lock exists while the work runs and is removed afterwards', async () => {
  const path = join(temporaryFolder(), 'lock');
  expect(await withFileLock(path, () => Promise.resolve(existsSync(path)))).toBe(true);
  expect(existsSync(path)).toBe(false);
});

test('the lock of a killed process is taken over immediately', async () => {
  const path = join(temporaryFolder(), 'lock');
  writeFileSync(path, ownName().replace(/^\d+/, '999999999'));
  expect(await withFileLock(path, () => Promise.resolve(existsSync(path)))).toBe(true);
  expect(existsSync(path)).toBe(false);
});

test('a lock that others take in turn is waited for longer than one that nobody gives back', async () => {
  const path = join(temporaryFolder(), 'lock');
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  let turns = 0;
  onTestFinished(() => void (hooks.attempt = () => undefined));
  hooks.attempt = () => {
    turns += 1;
    vi.advanceTimersByTime(2_500);
    if (turns > 8) return rmSync(path, { force: true });
    writeFileSync(`${path}-next`, ownName());
    renameSync(`${path}-next`, path);
  };
  expect(await withFileLock(path, () => Promise.resolve([turns, existsSync(path)]))).toEqual([9, true]);
});

test('of two processes that find the same stale lock, the second does not remove the lock of the first', async () => {
  const path = join(temporaryFolder(), 'lock');
  writeFileSync(path, ownName().replace(/^\d+/, '999999999'));
  let isTaken = false;
  let isReturned = false;
  hooks.takeover = () => {
    hooks.takeover = () => undefined;
    writeFileSync(path, ownName());
    isTaken = true;
    setTimeout(() => {
      isReturned = true;
      rmSync(path);
    }, 100);
  };
  expect(await withFileLock(path, () => Promise.resolve({ isTaken, isReturned }))).toEqual({
    isTaken: true,
    isReturned: true,
  });
  expect(existsSync(`${path}.turn.tmp`)).toBe(false);
});

test('a process that was killed while it removed a stale lock does not keep others from it', async () => {
  const path = join(temporaryFolder(), 'lock');
  const dead = ownName().replace(/^\d+/, '999999999');
  for (const left of [path, `${path}.turn.tmp`]) writeFileSync(left, dead);
  expect(await withFileLock(path, () => Promise.resolve(existsSync(path)))).toBe(true);
  expect(existsSync(path) || existsSync(`${path}.turn.tmp`)).toBe(false);
});

test('who held a lock for too long does not remove the lock of another', async () => {
  const path = join(temporaryFolder(), 'lock');
  await withFileLock(path, () => Promise.resolve(writeFileSync(path, ownName())));
  expect(existsSync(path)).toBe(true);
});

test('on a full disk no lock is left, for which others would wait', async () => {
  const path = join(temporaryFolder(), 'lock');
  hooks.isFull = true;
  onTestFinished(() => void (hooks.isFull = false));
  expect(await withFileLock(path, () => Promise.resolve(existsSync(path)))).toBe(false);
});

test.each<[string, (path: string) => unknown]>([
  ['a FIFO', (path) => execFileSync('mkfifo', [path])],
  ['a directory', (path) => mkdirSync(path)],
  ['a link to a FIFO', (path) => symlinkSync(fifo(`${path}-elsewhere`), path)],
  ['a link to what has no end', (path) => symlinkSync('/dev/zero', path)],
])('%s in the place of a lock holds nobody up', async (_, make) => {
  const path = join(temporaryFolder(), 'lock');
  make(path);
  expect(await withFileLock(path, act)).toBe('done');
});

test.each(['a lock', 'a directory'])('%s that is old and cannot be removed does not block', async (what) => {
  const path = join(temporaryFolder(), 'lock');
  if (what === 'a lock') writeFileSync(path, ownName().replace(/^\d+/, '999999999'));
  else mkdirSync(path);
  utimesSync(path, 1, 1);
  hooks.paths.add(path);
  expect(await withFileLock(path, act)).toBe('done');
  expect(existsSync(path)).toBe(true);
});

test('a writer that waits on a FIFO in place of a lock is not woken', async () => {
  const path = fifo(join(temporaryFolder(), 'lock'));
  const writer = spawn('sh', ['-c', `echo hi > ${path}`], { stdio: 'ignore' });
  onTestFinished(() => void writer.kill('SIGKILL'));
  await once(writer, 'spawn');
  expect(await withFileLock(path, act)).toBe('done');
  expect(writer.exitCode).toBeNull();
});

function fifo(path: string): string {
  execFileSync('mkfifo', [path]);
  return path;
}
