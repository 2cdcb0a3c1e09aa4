import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { withFileLock } from '../../src/session/file-lock.ts';
import { ownName } from '../../src/session/owner.ts';
import { temporaryFolder } from '../support/commands.ts';

const act = (): Promise<string> => Promise.resolve('done');

test('a lock is there while something runs, and gone afterwards', async () => {
  const path = join(temporaryFolder(), 'lock');
  expect(await withFileLock(path, () => Promise.resolve(existsSync(path)))).toBe(true);
  expect(existsSync(path)).toBe(false);
});

test('the lock of a killed process is taken over at once', async () => {
  const path = join(temporaryFolder(), 'lock');
  writeFileSync(path, ownName().replace(/^\d+/, '999999999'));
  expect(await withFileLock(path, () => Promise.resolve(existsSync(path)))).toBe(true);
  expect(existsSync(path)).toBe(false);
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

test('a writer that waits on a FIFO in the place of a lock does not notice', async () => {
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
