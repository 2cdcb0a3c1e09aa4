/**
 * Finds out which file systems are local, so that metadata operations are answered from memory. Others wait for a server
 * (NFS, SMB), another process (FUSE) or a hypervisor (9p, virtiofs), and would block the event loop on the main thread.
 */

import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isPathWithin } from './paths.ts';

/** All other types count as remote. An overlay counts as local, even if one of its layers is not. */
const LOCAL_TYPES: ReadonlySet<string> = new Set(
  [
    'ext2 ext3 ext4 xfs btrfs zfs f2fs bcachefs jfs reiserfs',
    'vfat exfat ntfs3 iso9660 udf squashfs erofs overlay',
    'tmpfs ramfs rootfs devtmpfs hugetlbfs',
  ]
    .join(' ')
    .split(' '),
);

const REFRESH_MS = 1_000;

/** Of the paths below that are remembered for so long. */
const MAX_KEPT_PATHS = 256;

let mounts: Mounts | undefined;
let readAt = Number.NEGATIVE_INFINITY;
/** The answers since `readAt`, because a call asks several times about the same paths. */
const answers = new Map<string, boolean>();

interface Mounts {
  readonly all: readonly string[];
  /** Mount points of file systems that are not known to be local. */
  readonly remote: readonly string[];
}

/**
 * Whether all directories of `path` (absolute, real) are on local file systems. A mount of the last second may be missed;
 * this only makes one operation slow, never wrong.
 */
export function isLocalPath(path: string): boolean {
  refresh();
  let isLocal = answers.get(path);
  if (isLocal === undefined) {
    isLocal = mounts !== undefined && !mounts.remote.some((mount) => isPathWithin(path, mount));
    if (answers.size >= MAX_KEPT_PATHS) answers.clear();
    answers.set(path, isLocal);
  }
  return isLocal;
}

/** Whether `path` (absolute, real) is local and nothing is mounted on anything below it. */
export function isLocalWhole(path: string): boolean {
  return isLocalPath(path) && !mounts?.all.some((mount) => mount !== path && isPathWithin(mount, path));
}

/**
 * The id of the mount through which the file at `fd` was opened, if the system tells. It is not reused while `fd` is open: its mount
 * cannot be removed, whatever happens to the path. Source: proc_pid_fdinfo(5).
 */
export function mountIdOf(fd: number): string | undefined {
  try {
    return /^mnt_id:\s*(\d+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'latin1'))?.[1];
  } catch {
    return undefined;
  }
}

/**
 * The path of the file open at `fd` from the top of its file system, also where only a part of that is mounted. `path`: its real
 * path. Undefined if the system does not tell. Source: proc_pid_mountinfo(5).
 */
export function pathInMount(fd: number, path: string): string | undefined {
  const id = mountIdOf(fd);
  try {
    const fields =
      id === undefined ? undefined : mountFields(id, readFileSync('/proc/self/mountinfo', 'utf8'));
    const [root, point] = (fields?.slice(3, 5) ?? []).map(unescape);
    if (root === undefined || point === undefined || !isPathWithin(path, point)) return undefined;
    return join(root, path.slice(point.length));
  } catch {
    return undefined;
  }
}

function mountFields(id: string, mountinfo: string): readonly string[] | undefined {
  return mountinfo
    .split('\n')
    .find((line) => line.startsWith(`${id} `))
    ?.split(' ');
}

function refresh(): void {
  const now = performance.now();
  if (now - readAt <= REFRESH_MS) return;
  try {
    mounts = mountsOf(readFileSync('/proc/self/mountinfo', 'utf8'));
  } catch {
    // There is no list of mounts.
    mounts = undefined;
  }
  readAt = now;
  answers.clear();
}

/** Directories that were reached without a link, and when: looking up names in them is answered from memory. */
const reached = new Map<string, number>();

/** Records that `path` (absolute) was reached without a link. */
export function noteReached(path: string): void {
  if (!isLocalPath(path)) return;
  if (reached.size >= MAX_KEPT_PATHS) reached.clear();
  reached.set(dirname(path), performance.now());
}

/**
 * Whether the directory of `path` (absolute) was just reached through local directories only. If one of them has become a
 * link since, this only makes one operation slow.
 */
export function wasReached(path: string): boolean {
  const at = reached.get(dirname(path));
  return at !== undefined && performance.now() - at <= REFRESH_MS && isLocalPath(path);
}

/** The mount points, including those hidden by later mounts. Source: proc_pid_mountinfo(5). */
function mountsOf(mountinfo: string): Mounts {
  const [all, remote] = [new Set<string>(), new Set<string>()];
  for (const line of mountinfo.split('\n')) {
    const fields = line.split(' ');
    const point = fields[4];
    const type = fields[fields.indexOf('-') + 1];
    if (point === undefined) continue;
    all.add(unescape(point));
    if (!LOCAL_TYPES.has(type ?? '')) remote.add(unescape(point));
  }
  return { all: [...all], remote: [...remote] };
}

/** Spaces and backslashes are escaped with three octal digits: `\040`. */
function unescape(point: string): string {
  return point.replace(/\\([0-7]{3})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  );
}
