import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import {
  isKernelFile,
  isKernelFileSystem,
  mayBeProcessSecret,
  nameInKernel,
  refuseProcessSecret,
  withoutTokens,
} from '../../src/files/kernel-files.ts';
import { mountIdOf } from '../../src/files/mounts.ts';

const host = vi.hoisted(() => ({ isLocal: undefined as boolean | undefined }));

vi.mock('../../src/files/mounts.ts', async (original) => {
  const real = await original<typeof import('../../src/files/mounts.ts')>();
  return { ...real, isLocalPath: (path: string) => host.isLocal ?? real.isLocalPath(path) };
});

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

test('every kernel file system of this machine is recognised', async () => {
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

test('a thread is told the same', () => {
  const shared = mkdtempSync('/dev/shm/oriel-');
  onTestFinished(() => rmSync(shared, { recursive: true }));
  const told = ['/proc', '/sys', '/proc/self/status', shared, tmpdir()].map((path) =>
    isKernelFileSystem(path, statSync(path, { bigint: true }).dev),
  );
  expect(told).toEqual([true, true, true, false, false]);
});

test('a device with a major number is not asked about', async () => {
  // A path that does not exist could not be asked about.
  const disks = [0x100n, 0xfff00n, 0x1000_0000_0000n, 0xffff_f000_0000_0000n, 0x803n];
  expect(disks.map((dev) => isKernelFile('/srv/x', '/nowhere', dev))).toEqual(disks.map(() => false));
  expect(disks.map((dev) => isKernelFileSystem('/nowhere', dev))).toEqual(disks.map(() => false));
  // The minor number and its upper bits do not count.
  for (const dev of [0n, 0x42n, 0xff_fff0_00ffn & ~0xfff00n])
    expect(() => isKernelFileSystem('/nowhere', dev)).toThrow('ENOENT');
});

test('remote files are asked about in a thread', async () => {
  host.isLocal = false;
  onTestFinished(() => void (host.isLocal = undefined));
  const asked = isKernelFile('/mnt/x', '/proc/self/status', 0n);
  expect([asked instanceof Promise, await asked]).toEqual([true, true]);
  expect(await isKernelFile('/mnt/x', '/dev/shm', 0n)).toBe(false);
  host.isLocal = true;
  expect([isKernelFile('/srv/x', '/proc', 0n), isKernelFile('/srv/x', '/dev/shm', 0n)]).toEqual([
    true,
    false,
  ]);
});

test('where file systems have no numbers, the path decides', async () => {
  vi.spyOn(process, 'platform', 'get').mockReturnValue('darwin');
  expect(await isKernelFile('/dev/fd/3', '/dev/fd/3', 1n)).toBe(true);
  const stored = ['/devices', '/', '/srv/proc/x'];
  expect(stored.map((path) => isKernelFile(path, path, 1n))).toEqual([false, false, false]);
  expect(['/proc', '/sys/x', '/dev/null'].map((path) => isKernelFile(path, path, 1n))).toEqual([
    true,
    true,
    true,
  ]);
  expect(isKernelFileSystem('/proc', 0n)).toBe(false);
  vi.restoreAllMocks();
});

test('what a process keeps for itself is refused by its path', () => {
  const refused = (path: string): boolean => {
    try {
      refuseProcessSecret(path, () => 'it');
      return false;
    } catch (error) {
      expect(error).toMatchObject({
        code: 'DENIED',
        next: '.',
        message:
          'it shows the environment, the memory or the descriptors of a process, and is never read. Use . to list the working directory.',
      });
      return true;
    }
  };
  const secrets = ['1/environ', 'self/mem', 'kcore', '1/fd', '1/fd/3', '1/fdinfo/3', '1/task/2/map_files/a'];
  expect(secrets.filter((path) => !refused(`/proc/${path}`))).toEqual([]);
  const others = [
    '/proc/1/status',
    '/proc/meminfo',
    '/proc/1/fdx',
    '/srv/environ',
    '/procs/environ',
    '/x/proc/1/fd',
  ];
  expect(others.filter(refused)).toEqual([]);
  expect(['environ', 'mem', 'fd', 'xfd', 'status'].map(mayBeProcessSecret)).toEqual([
    true,
    true,
    true,
    false,
    false,
  ]);
});

test('an opened kernel file has its path in its file system', () => {
  const own = '/proc/self/status';
  expect(nameInKernel({ path: own, again: own }, () => 'it')).toBe(own);
  expect(() => nameInKernel({ path: '/proc/1/environ', again: own }, () => 'it')).toThrow(
    'it shows the environment',
  );
  // Through another mount of /proc, which does not tell the path.
  expect(() => nameInKernel({ path: '/mnt/x', again: own }, () => 'a\nb')).toThrow(
    'a\\nb is a file of /proc that cannot be identified, so it is not read. Use . to list the working directory.',
  );
  expect(nameInKernel({ path: '/mnt/x', again: '/dev/shm' }, () => 'it')).toBe('/mnt/x');
  // An open one has the path that its mount tells, if the system tells the mount.
  const named = (path: string): string => nameInKernel({ fd, path, again: own }, () => 'it');
  const fd = openSync(own, 'r');
  onTestFinished(() => closeSync(fd));
  expect(named('/proc/1/status')).toBe(mountIdOf(fd) === undefined ? '/proc/1/status' : '/1/status');
  expect(() => named('/mnt/x')).toThrow('cannot be identified');
  expect(() => named('/proc/environ')).toThrow('shows the environment');
});

test.each([
  ['node\0main.js\0--token\0s3cret\0--port\x001', 'node\0main.js\0--token\0***\0--port\x001'],
  ['--token=s3cret x', '--token=*** x'],
  ['--token \\\n s3cret', '--token \\\n ***'],
  ['ORIEL_TOKEN_A="two words" next', 'ORIEL_TOKEN_A=*** next'],
  ["'ORIEL_TOKEN': 'it is', a", "'ORIEL_TOKEN': *** a"],
  ['-H Authorization: bearer  a\\ b c', '-H Authorization: bearer  *** c'],
  ['--tokens x', '--tokens x'],
  ['bearer', 'bearer'],
])('the arguments %j are shown as %j', (argv, shown) => {
  expect(withoutTokens(Buffer.from(argv)).toString()).toBe(shown);
});
