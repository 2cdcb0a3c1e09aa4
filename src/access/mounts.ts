/**
 * Which file systems answer questions about an open file from memory. Others wait for a server (NFS, SMB), another
 * process (FUSE) or a hypervisor (9p, virtiofs): asked on the main thread, they would hold the event loop.
 */

import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
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

let mounts: Mounts | undefined;
let readAt = Number.NEGATIVE_INFINITY;
/** The last answer, because a call asks several times about the same path. */
let last: { readonly path: string; readonly isLocal: boolean } | undefined;

interface Mounts {
  readonly all: readonly string[];
  /** Of file systems that are not known to be local. */
  readonly remote: readonly string[];
}

/**
 * Whether everything on the way to `path` (absolute, real) is on local file systems. A mount of the last second may
 * be missed: the price is one slow answer, never a wrong one.
 */
export function isLocal(path: string): boolean {
  refresh();
  if (last?.path !== path) {
    last = { path, isLocal: mounts !== undefined && !mounts.remote.some((mount) => within(path, mount)) };
  }
  return last.isLocal;
}

/** Whether `path` (absolute, real) is local and nothing is mounted on anything below it. */
export function isLocalWhole(path: string): boolean {
  return isLocal(path) && !mounts?.all.some((mount) => mount !== path && within(mount, path));
}

/** An overlay is not among them: one of its layers may be remote, and nothing tells which one holds a file. */
const OVERLAY = 'overlay';

/**
 * Whether what is open at `fd` is on a local file system. Its mount is asked for as of now: it cannot go away while
 * `fd` is open, whatever has happened to the path. Costs 30 µs and more. Source: proc_pid_fdinfo(5).
 */
export function isOnLocalMount(fd: number): boolean {
  try {
    const id = /^mnt_id:\s*(\d+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'latin1'))?.[1];
    return id !== undefined && isLocalMount(id, readFileSync('/proc/self/mountinfo', 'utf8'));
  } catch {
    return false;
  }
}

export function isLocalMount(id: string, mountinfo: string): boolean {
  const fields = mountinfo
    .split('\n')
    .find((line) => line.startsWith(`${id} `))
    ?.split(' ');
  const type = fields?.[fields.indexOf('-') + 1] ?? '';
  return type !== OVERLAY && LOCAL_TYPES.has(type);
}

function refresh(): void {
  const now = performance.now();
  if (now - readAt <= REFRESH_MS) return;
  mounts = readMounts();
  readAt = now;
  last = undefined;
}

/** Directories that were found without a link on the way, and when: names in them are looked up from memory. */
const reached = new Map<string, number>();
const MOST_REACHED = 256;

/** `path` (absolute) is real: no link leads there. */
export function noteReached(path: string): void {
  if (!isLocal(path)) return;
  if (reached.size >= MOST_REACHED) reached.clear();
  reached.set(dirname(path), performance.now());
}

/**
 * Whether the directory of `path` (absolute) was reached a moment ago through local directories alone. When one of them
 * has become a link since, the price is one slow answer, as with mounts.
 */
export function wasReached(path: string): boolean {
  const at = reached.get(dirname(path));
  return at !== undefined && performance.now() - at <= REFRESH_MS && isLocal(path);
}

/** Undefined if there is no list of mounts. */
function readMounts(): Mounts | undefined {
  try {
    return mountsOf(readFileSync('/proc/self/mountinfo', 'utf8'));
  } catch {
    return undefined;
  }
}

/** Mount points. What a later mount hides stays in the list. Source: proc_pid_mountinfo(5). */
export function mountsOf(mountinfo: string): Mounts {
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

/** Blanks and backslashes are written as three octal digits: `\040`. */
function unescape(point: string): string {
  return point.replace(/\\([0-7]{3})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  );
}
