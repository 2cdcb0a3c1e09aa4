import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { isKernelFile } from '../../src/access/kernel-files.ts';

/** As if what lies at `path` were found elsewhere: its own path must not matter. */
const judged = (path: string): Promise<boolean> =>
  Promise.resolve(isKernelFile('/srv/data/x', path, statSync(path, { bigint: true }).dev));

/** Mount points by the type of their file system, the last one where several lie at one place. */
const mounts = new Map(
  readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .map((line) => line.split(' '))
    .map((fields) => [fields[4] ?? '', fields[fields.indexOf('-') + 1] ?? ''] as const),
);
const KERNEL = /^(proc|sysfs|cgroup2?|devpts|mqueue|debugfs|tracefs|securityfs|configfs|bpf|pstore|fusectl)$/;

test('every such file system of this machine belongs to the kernel', async () => {
  const points = [...mounts].filter(([, type]) => KERNEL.test(type)).map(([point]) => point);
  expect(points).toEqual(expect.arrayContaining(['/proc', '/sys']));
  expect(await Promise.all(points.map(judged))).toEqual(points.map(() => true));
  expect(await judged('/proc/self/status')).toBe(true);
});

test('disks and memory hold stored files', async () => {
  const shared = mkdtempSync('/dev/shm/oriel-');
  const temporary = mkdtempSync(join(tmpdir(), 'oriel-'));
  onTestFinished(() => [shared, temporary].forEach((path) => rmSync(path, { recursive: true })));
  expect(await Promise.all(['/', shared, temporary].map(judged))).toEqual([false, false, false]);
});

test('where file systems have no numbers, the path decides', async () => {
  vi.spyOn(process, 'platform', 'get').mockReturnValue('darwin');
  expect(await isKernelFile('/dev/fd/3', '/dev/fd/3', 1n)).toBe(true);
  expect(await isKernelFile('/devices', '/devices', 1n)).toBe(false);
  vi.restoreAllMocks();
});
