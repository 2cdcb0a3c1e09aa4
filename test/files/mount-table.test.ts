/** What is answered about paths while the table of mounts changes: it is read again after a second. */

import * as fs from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { DenyPolicy } from '../../src/files/deny-policy.ts';
import { createAccess } from '../../src/files/local.ts';
import {
  isLocalPath,
  isLocalWhole,
  mountIdOf,
  noteReached,
  pathInMount,
  wasReached,
} from '../../src/files/mounts.ts';
import { workspace } from '../support/workspace.ts';

/** The files below /proc that are read, by path; a missing one cannot be read. */
const files = new Map<string, string>();
let reads = 0;

vi.mock('node:fs', async (original) => {
  const real = await original<typeof import('node:fs')>();
  return {
    ...real,
    readFileSync: (path: string, ...more: readonly unknown[]): unknown => {
      if (!path.startsWith('/proc/self/')) return real.readFileSync(path, ...(more as ['utf8']));
      reads += 1;
      const text = files.get(path);
      if (text === undefined) throw Object.assign(new Error('no such file'), { code: 'ENOENT' });
      return text;
    },
  };
});

/** What is answered about paths whose times do not change, as those of directories in the storage of some servers. */
const still = new Map<unknown, unknown>();

vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof fs.promises>();
  const stat = async (path: string, options: object): Promise<unknown> =>
    still.get(path) ?? real.stat(path, options);
  return { ...real, stat };
});

const TABLE = '/proc/self/mountinfo';
const LOCAL = '27 1 254:0 / / rw,relatime - ext4 /dev/vda rw';
const mount = (point: string, type: string): string => `30 27 0:30 / ${point} rw - ${type} none rw`;

/** The table from now on. It counts only after a second. */
function mounted(...lines: readonly string[]): void {
  files.set(TABLE, [LOCAL, ...lines, ''].join('\n'));
}

let now = 1;

/** Lets so much time pass; by default so much that the table is read again. */
const later = (ms = 1_001): void => void (now += ms);

beforeEach(() => {
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  files.clear();
  mounted();
});
afterEach(() => void vi.restoreAllMocks());

test('a path is local unless a remote mount holds it', () => {
  const servers = ['nfs4', 'fuse.sshfs', '9p', 'somefs2038', 'proc'];
  for (const type of servers) {
    mounted(mount('/mnt', type));
    later();
    expect([type, isLocalPath('/mnt/a')]).toStrictEqual([type, false]);
  }
  mounted(mount('/mnt/share', 'nfs4'), mount('/mnt/share/disk', 'ext4'), mount('/srv', 'xfs'));
  later();
  const paths = ['/', '/mnt', '/mnt/share', '/mnt/share/a', '/mnt/shared', '/srv/a', '/mnt/share/disk/a'];
  // Names of the last one are looked up in the share first.
  expect(paths.map(isLocalPath)).toStrictEqual([true, true, false, false, true, true, false]);
});

test('a whole path is local if nothing is mounted below', () => {
  mounted(mount('/mnt/share', 'nfs4'), mount('/srv/disk', 'xfs'));
  later();
  const paths = ['/', '/mnt', '/mnt/share', '/srv', '/srv/disk', '/srv/disk/a', '/home'];
  expect(paths.map(isLocalWhole)).toStrictEqual([false, false, false, false, true, true, true]);
});

test('spaces and backslashes in mount points', () => {
  mounted(mount('/mnt/a\\040b\\134c', 'nfs'));
  later();
  expect([isLocalPath('/mnt/a b\\c/d'), isLocalPath('/mnt/a\\040b\\134c')]).toStrictEqual([false, true]);
});

test('the table is read again only after a second', () => {
  later();
  reads = 0;
  expect([isLocalPath('/mnt/a'), isLocalWhole('/mnt/a')]).toStrictEqual([true, true]);
  mounted(mount('/mnt', 'nfs'));
  later(1_000);
  expect([isLocalPath('/mnt/a'), isLocalPath('/mnt/b'), reads]).toStrictEqual([true, true, 1]);
  later(1);
  expect([isLocalPath('/mnt/b'), isLocalPath('/mnt/a'), isLocalWhole('/mnt/a'), reads]).toStrictEqual([
    false,
    false,
    false,
    2,
  ]);
});

test('without a table nothing is local', () => {
  files.delete(TABLE);
  later();
  expect([isLocalPath('/'), isLocalWhole('/'), isLocalPath('/srv')]).toStrictEqual([false, false, false]);
});

test('the mount of an open file', () => {
  mounted(mount('/mnt', 'nfs'));
  files.set('/proc/self/fdinfo/7', 'pos:\t0\nflags:\t0100000\nmnt_id:\t27\nino:\t30\n');
  files.set('/proc/self/fdinfo/8', 'pos:\t0\nflags:\t0100000\nmnt_id:\t30\nino:\t27\n');
  files.set('/proc/self/fdinfo/9', 'pos:\t27\nflags:\t0100000\n');
  expect([7, 8, 9, 10].map(mountIdOf)).toStrictEqual(['27', '30', undefined, undefined]);
});

test('the path of an open file in its file system', () => {
  files.set(
    TABLE,
    [LOCAL, '30 27 0:30 /top\\040dir /mnt/a\\040b rw - ext4 none rw', '3 1 0:3 / /x rw - ext4 none rw'].join(
      '\n',
    ),
  );
  for (const id of ['27', '30', '9']) files.set(`/proc/self/fdinfo/${id}`, `mnt_id:\t${id}\n`);
  expect([
    pathInMount(27, '/d/f'),
    pathInMount(30, '/mnt/a b/d/f'),
    pathInMount(30, '/mnt/a b'),
    pathInMount(30, '/mnt/other'),
    pathInMount(9, '/d'),
    pathInMount(1, '/d'),
  ]).toStrictEqual(['/d/f', '/top dir/d/f', '/top dir', undefined, undefined, undefined]);
  files.delete(TABLE);
  expect(pathInMount(27, '/d')).toBeUndefined();
});

test('names in a reached directory are known for a second', () => {
  later();
  noteReached('/d/first/a');
  expect(['/d/first/b', '/d/first', '/d/first/a/b', '/d/other/a'].map(wasReached)).toStrictEqual([
    true,
    false,
    false,
    false,
  ]);
  later(1_000);
  expect(wasReached('/d/first/a')).toBe(true);
  later(1);
  expect(wasReached('/d/first/a')).toBe(false);
});

test('names in a remote directory are never known', () => {
  mounted(mount('/mnt', 'nfs'));
  later();
  noteReached('/mnt/a');
  mounted();
  later(1_000);
  expect(wasReached('/mnt/a')).toBe(false);
  later(1);
  noteReached('/mnt/a');
  expect(wasReached('/mnt/a')).toBe(true);
  mounted(mount('/mnt', 'nfs'));
  later(1_000);
  expect([isLocalPath('/mnt/a'), wasReached('/mnt/a')]).toStrictEqual([true, true]);
});

test('a directory that became remote is no longer known', () => {
  later();
  // The table is read now, and the directory is reached 900 ms later.
  isLocalPath('/mnt/a');
  later(900);
  noteReached('/mnt/a');
  mounted(mount('/mnt', 'nfs'));
  later(200);
  expect(wasReached('/mnt/a')).toBe(false);
});

test('at most 256 directories are known, then the list restarts', () => {
  const names = Array.from({ length: 600 }, (_, i) => `/many/${i}/file`);
  // Where the list starts again for the first time depends on what earlier tests have noted.
  noteReached(names[0] as string);
  let first = 1;
  while (wasReached(names[0] as string)) noteReached(names[first++] as string);
  const ofThis = names.slice(first - 1, first - 1 + 256);
  for (const name of ofThis) noteReached(name);
  expect(ofThis.filter(wasReached)).toStrictEqual(ofThis);
  noteReached('/one/more');
  expect([...ofThis, '/one/more'].filter(wasReached)).toStrictEqual(['/one/more']);
});

test('a rule for private files holds that comes behind a link to a directory whose times do not change', async () => {
  const { W, write } = workspace();
  const { open } = createAccess({ cwd: W, roots: [W], allow: [] });
  const policy = new DenyPolicy({ patterns: [], projects: [W], name: 'the option deny' }, [W], open);
  write('shared/other.json', '');
  const link = join(W, '.claude');
  fs.symlinkSync('shared', link);
  still.set(link, fs.statSync(link, { bigint: true }));
  // What changed a moment ago is looked at each time.
  vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 60_000);
  await policy.current();
  write('shared/settings.json', '{"permissions":{"deny":["Read(a.ts)"]}}');
  expect((await policy.current()).decide(join(W, 'a.ts'), false)).toMatchObject({ rule: 'Read(a.ts)' });
});
