/**
 * Which file systems answer questions about an open file from memory. Others wait for a server (NFS, SMB), another
 * process (FUSE) or a hypervisor (9p, virtiofs): asked on the main thread, they would hold the event loop.
 */

import { readFileSync } from 'node:fs';
import { within } from './paths.ts';

/** Anything else counts as remote. An overlay counts as local, also where one of its layers is not. */
const LOCAL_TYPES: ReadonlySet<string> = new Set(
  [
    'ext2 ext3 ext4 xfs btrfs zfs f2fs bcachefs jfs reiserfs',
    'vfat exfat ntfs3 iso9660 udf squashfs erofs overlay',
    'tmpfs ramfs rootfs devtmpfs hugetlbfs',
  ].flatMap((types) => types.split(' ')),
);

const REFRESH_MS = 1_000;

let remote: readonly string[] | undefined;
let readAt = Number.NEGATIVE_INFINITY;

/**
 * Whether everything on the way to `path` (absolute, real) lies on local file systems. A mount of the last second may
 * be missed: the price is one slow answer, never a wrong one.
 */
export function isLocal(path: string): boolean {
  const now = performance.now();
  if (now - readAt > REFRESH_MS) {
    remote = readRemoteMounts();
    readAt = now;
  }
  return remote !== undefined && !remote.some((mount) => within(path, mount));
}

/** Undefined where there is no list of mounts. */
function readRemoteMounts(): readonly string[] | undefined {
  try {
    return remoteMounts(readFileSync('/proc/self/mountinfo', 'utf8'));
  } catch {
    return undefined;
  }
}

/**
 * The mount points of file systems that are not known to be local. What a later mount hides stays in the list.
 * Source: proc_pid_mountinfo(5).
 */
export function remoteMounts(mountinfo: string): readonly string[] {
  const found = new Set<string>();
  for (const line of mountinfo.split('\n')) {
    const fields = line.split(' ');
    const point = fields[4];
    const type = fields[fields.indexOf('-') + 1];
    if (point !== undefined && !LOCAL_TYPES.has(type ?? '')) found.add(unescape(point));
  }
  return [...found];
}

/** Blanks and backslashes stand as three octal digits: `\040`. */
function unescape(point: string): string {
  return point.replace(/\\([0-7]{3})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  );
}
