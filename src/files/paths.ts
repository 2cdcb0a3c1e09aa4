/** Interprets typed paths without touching the disk: expansions, alternative spellings, and names of other systems. */

import {
  chmodSync,
  closeSync,
  fchmodSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  statfsSync,
  type Stats,
} from 'node:fs';
import { statfs } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { advised, OrielError } from '../errors.ts';
import { quote } from '../text/visible.ts';
import { errno, UnsafeDirectory } from './system-failure.ts';

/**
 * Resolves a path given by the host against the working directory of this process. Throws `NOT_FOUND` if that
 * is gone.
 */
export function fromWorkingDirectory(path = '.'): string {
  if (isAbsolute(path)) return resolve(path);
  try {
    return resolve(process.cwd(), path);
  } catch (cause) {
    throw new OrielError(
      'NOT_FOUND',
      'The working directory of this process no longer exists. Start it in one that does, or name one as cwd.',
      { cause },
    );
  }
}

/** Whether `path` is `directory` or is below it; both absolute. */
export function isPathWithin(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory.endsWith(sep) ? directory : directory + sep);
}

/** Source: PATH_MAX in linux/limits.h. */
const PATH_MAX = 4096;

/**
 * The absolute paths that `typed` may mean, the most literal first: as written, then without a leading `@`, which editors
 * add, then with the Unicode spellings that file systems and screenshots use. Throws `BAD_PATH` and `NAME_TOO_LONG`.
 */
export function* pathSpellings(typed: string, cwd: string): Generator<string, void> {
  const absolute = absolutePath(typed, cwd);
  // This one usually exists, and then the others are not computed.
  yield absolute;
  const found = new Set([absolute]);
  if (typed.startsWith('@')) found.add(absolutePath(typed.slice(1) || '.', cwd));
  for (const path of Array.from(found)) for (const respelled of respell(path)) found.add(respelled);
  found.delete(absolute);
  yield* found;
}

/** Turns `~`, `file://` and relative forms into an absolute path; a bare `/` is the working directory. */
export function absolutePath(typed: string, cwd: string): string {
  if (typed === '')
    throw new OrielError('BAD_PATH', 'The path is empty. Use . for the working directory.', { next: '.' });
  if (Buffer.byteLength(typed) > PATH_MAX * 3) throw tooLong(typed);
  const path = /^file:\/\//i.test(typed) ? fromFileUrl(typed) : typed;
  if (path.includes('\0')) throw new OrielError('BAD_PATH', `The path ${quote(typed)} holds a NUL byte.`);
  if (path === '/') return cwd;
  const expanded = path === '~' || path.startsWith('~/') ? homedir() + path.slice(1) : path;
  const absolute = isAbsolute(expanded) ? resolve(expanded) : resolve(cwd, expanded);
  if (Buffer.byteLength(absolute) > PATH_MAX) throw tooLong(typed);
  return absolute;
}

function tooLong(typed: string): OrielError {
  return new OrielError('NAME_TOO_LONG', `The path ${quote(typed)} is longer than ${PATH_MAX} bytes.`);
}

function fromFileUrl(typed: string): string {
  try {
    return fileURLToPath(typed);
  } catch (cause) {
    const relative = relativeUrl(typed);
    if (relative !== undefined) return relative;
    throw new OrielError(
      'BAD_PATH',
      `${quote(typed)} is not a file URL of this machine. Use . for the working directory.`,
      { next: '.', cause },
    );
  }
}

/** `file://src/app.ts` → `src/app.ts`: the first directory is in the place of the host. */
function relativeUrl(typed: string): string | undefined {
  const path = typed.slice('file://'.length);
  if (path.startsWith('/') || /%2f/i.test(path)) return undefined;
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}

/** Spaces that look like U+0020. macOS has U+202F before AM and PM in the names of screenshots. */
const SPACES = /[\u00a0\u2000-\u200a\u202f\u205f\u3000]/g;

function respell(path: string): string[] {
  const spaced = path.replace(SPACES, ' ');
  const forms = [
    spaced,
    path.replace(/ (AM|PM)\b/g, '\u202f$1'),
    path.normalize('NFC'),
    path.normalize('NFD'),
    path.replaceAll("'", '\u2019'),
    path.replaceAll('\u2019', "'"),
    path.normalize('NFD').replaceAll("'", '\u2019'),
    spaced.normalize('NFC'),
    spaced.normalize('NFD'),
  ];
  return forms.filter((form) => form !== path);
}

/**
 * The error for a name that another system would take for a device, a stream or a drive; undefined for ordinary names.
 * Call it only if the file does not exist: a file that is really called `CON` is readable.
 */
export function foreignName(typed: string, walled: boolean): OrielError | undefined {
  const shown = quote(typed);
  if (walled && /^[^/\\]{1,8}~\d[^/\\]*\\/.test(typed)) {
    const why = `${shown} is a short name that cannot be placed inside the roots.`;
    return advised('OUTSIDE_ROOT', why, 'Use the long path.');
  }
  const name = typed.split(/[/\\]/).at(-1) ?? typed;
  const why = typed.startsWith('\\\\')
    ? 'is a network or device path'
    : /^[A-Za-z]:/.test(typed)
      ? 'names a drive'
      : /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i.test(name)
        ? 'is the name of a Windows device'
        : /::?\$DATA$/i.test(name)
          ? 'names an alternate data stream'
          : /[^. ][. ]$/.test(name)
            ? 'ends with a dot or a space, and no such file exists'
            : undefined;
  return why && advised('BAD_PATH', `${shown} ${why}.`, 'Use a path like src/app.ts.');
}

// Private files of oriel: caches, kept outputs, temporary files, telemetry, token files. Other accounts of the machine cannot
// reach them: every directory above them was checked. Clients that have roots cannot read them, whatever their names: a second
// hard link, a bind mount.

/**
 * Files and directories that oriel makes carry the sticky bit and are closed to others. Linux ignores the bit on files, and it
 * belongs to the inode: so they are recognised under every name and by every process. Other systems do not let users set it.
 */
const MARK = process.platform === 'linux' ? 0o1000 : 0;
export const PRIVATE_FILE: number = 0o600 | MARK;
const PRIVATE_DIRECTORY = 0o700 | MARK;

const GROUP_WRITE = 0o020;
const OTHERS_WRITE = 0o002;
const STICKY = 0o1000;

/** Source: MAXSYMLINKS in linux/namei.h. */
const MAX_LINKS = 40;

/**
 * The real path of a directory that no other account can replace: it and all directories and links that lead to it belong to
 * this user or to root, and others cannot write there, or only with the sticky bit. Missing ones are made with `mode`. Throws
 * `UnsafeDirectory`, and errors of the system.
 */
export function trustedDirectory(path: string, mode?: number): string {
  // Windows has neither owners nor modes of this kind.
  if (!process.getuid) return ensureDirectory(path, mode);
  const names = resolve(path).split('/');
  let at = '/';
  checkDirectory(at, lstatSync(at));
  for (let links = 0; names.length > 0;) {
    const name = names.shift() as string;
    if (name === '' || name === '.') continue;
    // No link is left in `at`, so its parent is the one that the system would find.
    const next = name === '..' ? dirname(at) : join(at, name);
    const stats = statOrMake(next, mode);
    if (!stats.isSymbolicLink()) {
      checkDirectory(next, stats);
      at = next;
      continue;
    }
    checkOwner(next, stats);
    if ((links += 1) > MAX_LINKS) throw new UnsafeDirectory(`${quote(path)} leads into a loop of links`);
    const target = readlinkSync(next);
    if (target.startsWith('/')) at = '/';
    names.unshift(...target.split('/'));
  }
  return at;
}

/** Whether nobody else can replace what is at `path`. */
export function isTrusted(path: string): boolean {
  try {
    trustedDirectory(dirname(path));
    return true;
  } catch {
    return false;
  }
}

/**
 * Makes the private directory at `path`, or uses it if it is a real directory of this user, and returns its real path. Throws as
 * `trustedDirectory`.
 */
export function privateDirectory(path: string): string {
  const real = join(trustedDirectory(dirname(path), 0o700), basename(path));
  const stats = statOrMake(real, PRIVATE_DIRECTORY);
  if (!stats.isDirectory()) throw new UnsafeDirectory(`${quote(path)} is not a directory`);
  if (process.getuid && stats.uid !== process.getuid())
    throw new UnsafeDirectory(`${quote(path)} belongs to another user`);
  makePrivate(real, stats);
  return real;
}

/** Whether `path` is (still) a private directory of this user that nobody else can replace. */
export function isPrivateDirectory(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats?.isDirectory() !== true || !isTrusted(path)) return false;
  return !process.getuid || (stats.uid === process.getuid() && (stats.mode & 0o077) === 0);
}

/** Closes a file of this user to others and marks it as oriel's. Throws if the system refuses the former. */
export function makePrivate(at: string | number, stats: Stats): void {
  if (isPrivate(stats)) return;
  const mode = stats.isDirectory() ? PRIVATE_DIRECTORY : PRIVATE_FILE;
  try {
    if (typeof at === 'number') fchmodSync(at, mode);
    else chmodSync(at, mode);
  } catch (error) {
    // A file system without modes that is mounted for this user alone.
    if ((stats.mode & 0o077) !== 0) throw error;
  }
}

function isPrivate({ mode }: Pick<FileStats, 'mode'>): boolean {
  return (Number(mode) & 0o1077) === MARK;
}

/** `mkdir -p` of Node never returns if a parent exists but nothing can be created in it, as in `/proc`. */
function statOrMake(path: string, mode: number | undefined): Stats {
  const stats = lstatSync(path, { throwIfNoEntry: mode === undefined });
  if (stats) return stats;
  try {
    mkdirSync(path, { mode: mode as number });
  } catch (error) {
    // Another process created it first, or something else has the name; the caller checks that.
    if (errno(error) !== 'EEXIST') throw error;
  }
  return lstatSync(path);
}

function ensureDirectory(path: string, mode?: number): string {
  if (mode !== undefined) mkdirSync(path, { mode, recursive: true });
  return realpathSync(path);
}

function checkDirectory(path: string, stats: Stats): void {
  if (!stats.isDirectory()) throw new UnsafeDirectory(`${quote(path)} is not a directory`);
  checkOwner(path, stats);
  // Systems with umask 002 give each user a group of the same number, which has no other members.
  const others = stats.gid === process.getuid?.() ? OTHERS_WRITE : OTHERS_WRITE | GROUP_WRITE;
  if ((stats.mode & others) === 0 || (stats.mode & STICKY) !== 0) return;
  throw new UnsafeDirectory(`other users can change ${quote(path)}`);
}

/** The owner of `/` is root, maybe of another user namespace, and can replace everything anyway. */
function checkOwner(path: string, { uid }: Stats): void {
  if (uid === 0 || uid === process.getuid?.() || uid === lstatSync('/').uid) return;
  throw new UnsafeDirectory(`${quote(path)} belongs to another user`);
}

const places = new Set<string>();
const files = new Set<string>();

/** What clients with certain roots cannot read. Plain data, for worker threads. */
export interface KeptFiles {
  /** Real paths of files and directories. */
  readonly places: readonly string[];
  /** Files, by `fileKey`. */
  readonly files: ReadonlySet<string>;
  /** The user whose marked files and directories are oriel's; undefined if marks do not count. */
  readonly markedBy: number | undefined;
}

const NOTHING_KEPT: KeptFiles = { places: [], files: new Set(), markedBy: undefined };

type FileStats = Readonly<Record<'dev' | 'ino' | 'mode' | 'uid', bigint | number>>;

/** A key for a file that does not depend on its name; device and inode numbers of more than 53 bits are rounded. */
export function fileKey({ dev, ino }: Pick<FileStats, 'dev' | 'ino'>): string {
  return `${Number(dev)}:${Number(ino)}`;
}

/** From now on no client can read the file, or files in the directory, by path. It need not exist yet. */
export function keepFromClients(path: string): void {
  places.add(realOf(path));
}

/**
 * The same for the file open at `fd`, which oriel did not make, under all of its names. The descriptor stays open for as long
 * as this process lives, so that the inode number cannot be reused.
 */
export function keepFileFromClients(path: string, fd: number, stats: Stats): void {
  keepFromClients(path);
  const key = fileKey(stats);
  if (files.has(key)) closeSync(fd);
  files.add(key);
}

/**
 * What clients with these roots (real paths) cannot read: nothing without roots. A place that contains one of the roots was
 * chosen on purpose and can be read.
 */
export function keptFromClients(roots: readonly string[]): KeptFiles {
  if (roots.length === 0) return NOTHING_KEPT;
  const kept = [...places].filter((place) => !roots.some((root) => isPathWithin(root, place)));
  const markedBy = MARK === 0 || kept.length < places.size ? undefined : process.getuid?.();
  return { places: kept, files, markedBy };
}

/** Whether it is one of the files and directories that are kept, whatever its name. */
export function isKept({ files: held, markedBy }: KeptFiles, stats: FileStats): boolean {
  const isMarked = Number(stats.uid) === markedBy && isPrivate(stats);
  return isMarked || (held.size > 0 && held.has(fileKey(stats)));
}

/** The same for the real path `path`. */
export function isKeptAt(kept: KeptFiles, path: string, stats: FileStats): boolean {
  return isKept(kept, stats) || kept.places.some((place) => isPathWithin(path, place));
}

function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const above = dirname(path);
    return above === path ? path : join(realOf(above), basename(path));
  }
}

// Detects virtual files of the kernel: some never end, some block the reader, some have side effects. The file system of
// the opened file decides, not its path: `/dev/shm` has ordinary files, and a bind mount can put `/proc` anywhere.

/** Magic numbers. Sources: linux/magic.h; those not there: ipc/mqueue.c, fs/configfs, fs/fuse/control.c, net/sunrpc. */
const KERNEL_FILE_SYSTEMS: ReadonlySet<number> = new Set([
  0x9fa0, // proc
  0x6265_6572, // sysfs
  0x6462_6720, // debugfs
  0x7472_6163, // tracefs
  0x27_e0eb, // cgroup
  0x6367_7270, // cgroup2
  0x765_5821, // resctrl
  0x7363_6673, // securityfs
  0xf97c_ff8c, // selinuxfs
  0x4341_5d53, // smackfs
  0x5a3c_69f0, // apparmorfs
  0x6265_6570, // configfs
  0xcafe_4a11, // bpf
  0x4249_4e4d, // binfmt_misc
  0x6165_676c, // pstore
  0xde5e_81e4, // efivarfs
  0x6e73_6673, // nsfs
  0x1cd1, // devpts
  0x6c6f_6f70, // binderfs
  0x1980_0202, // mqueue
  0x6573_5543, // fusectl
  0x6759_6969, // rpc_pipefs
  0x9fa1, // openpromfs
  0x9fa2, // usbdevfs
  0xabba_1974, // xenfs
]);

/** On other systems than Linux, which do not have these numbers. */
const KERNEL_DIRECTORIES = ['/proc', '/sys', '/dev'];

/** `again`: a path that opens the same file as `path` (absolute, real), which is on the device `dev`. */
export function isKernelFile(path: string, again: string, dev: bigint): boolean | Promise<boolean> {
  if (process.platform !== 'linux')
    return KERNEL_DIRECTORIES.some((directory) => isPathWithin(path, directory));
  if (isOnDisk(dev)) return false;
  if (isLocalPath(path)) return KERNEL_FILE_SYSTEMS.has(statfsSync(again).type);
  return statfs(again).then(({ type }) => KERNEL_FILE_SYSTEMS.has(type));
}

/** The same for a worker thread, which may block. */
export function isKernelFileSystem(again: string, dev: bigint): boolean {
  return process.platform === 'linux' && !isOnDisk(dev) && KERNEL_FILE_SYSTEMS.has(statfsSync(again).type);
}

/** Virtual files have no device: their major number is 0. Source: gnu_dev_major in sys/sysmacros.h of glibc. */
function isOnDisk(dev: bigint): boolean {
  return ((dev >> 8n) & 0xfffn) !== 0n || dev >> 44n !== 0n;
}

/**
 * What a process keeps for itself: its first environment (which keeps variables that it has deleted since), its memory and its
 * descriptors; and the memory of the kernel. Source: proc(5).
 */
const PROCESS_SECRET = /\/(?:environ|mem|kcore)$|\/(?:fd|fdinfo|map_files)(?:\/|$)/;

/** Whether a directory of this name is one of them if it is on a file system of the kernel. */
export function mayBeProcessSecret(name: string): boolean {
  return PROCESS_SECRET.test(`/${name}`);
}

/**
 * Throws `DENIED` for a path (absolute, without `..`) that names such a file in /proc. Links in /proc lead on to other files,
 * so each path on the way is checked.
 */
export function refuseProcessSecret(path: string, shown: () => string): void {
  if (path.startsWith('/proc/') && PROCESS_SECRET.test(path)) throw processSecret(shown());
}

/**
 * The same for the kernel file open at `fd`, wherever /proc or a part of it is mounted. Returns the path of the file in its
 * file system. `path`: its real path; `fd` is undefined where /proc has no descriptors.
 */
export function nameInKernel(fd: number | undefined, path: string, shown: () => string): string {
  const name = (fd === undefined ? undefined : pathInMount(fd, path)) ?? path;
  if (PROCESS_SECRET.test(name)) throw processSecret(shown());
  return name;
}

function processSecret(shown: string): OrielError {
  return new OrielError(
    'DENIED',
    `${quote(shown)} shows the environment, the memory or the descriptors of a process, and is never read. Use . to list the working directory.`,
    { next: '.' },
  );
}

/** Tokens in the arguments of a process: of `--token`, of a variable that a shell sets, of a header for curl. */
const TOKEN_ARGUMENT = /(--token[=\0\s]+|ORIEL_TOKEN\w*=|Bearer\s+)(?:"[^\0"]*"|'[^\0']*'|[^\0\s])+/gi;

/** The arguments of a process (`/proc/PID/cmdline`) without tokens. */
export function withoutTokens(bytes: Buffer): Buffer {
  return Buffer.from(bytes.toString('latin1').replace(TOKEN_ARGUMENT, '$1***'), 'latin1');
}

// Finds out which file systems are local, so that metadata operations are answered from memory. Others wait for a server
// (NFS, SMB), another process (FUSE) or a hypervisor (9p, virtiofs), and would block the event loop on the main thread.

/** All other types count as remote. An overlay counts as local, even if one of its layers is not. */
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
  /** Mount points of file systems that are not known to be local. */
  readonly remote: readonly string[];
}

/**
 * Whether all directories of `path` (absolute, real) are on local file systems. A mount of the last second may be missed;
 * this only makes one operation slow, never wrong.
 */
export function isLocalPath(path: string): boolean {
  refresh();
  if (last?.path !== path) {
    last = {
      path,
      isLocal: mounts !== undefined && !mounts.remote.some((mount) => isPathWithin(path, mount)),
    };
  }
  return last.isLocal;
}

/** Whether `path` (absolute, real) is local and nothing is mounted on anything below it. */
export function isLocalWhole(path: string): boolean {
  return isLocalPath(path) && !mounts?.all.some((mount) => mount !== path && isPathWithin(mount, path));
}

/** `isOnLocalMount` does not count overlays as local: one of the layers may be remote, and it is unknown which one has the file. */
const OVERLAY = 'overlay';

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

/** Whether the file open at `fd` is on a local file system. Takes 30 µs or more. */
export function isOnLocalMount(fd: number): boolean {
  const id = mountIdOf(fd);
  try {
    return id !== undefined && isLocalMount(id, readFileSync('/proc/self/mountinfo', 'utf8'));
  } catch {
    return false;
  }
}

export function isLocalMount(id: string, mountinfo: string): boolean {
  const fields = mountFields(id, mountinfo);
  const type = fields?.[fields.indexOf('-') + 1] ?? '';
  return type !== OVERLAY && LOCAL_TYPES.has(type);
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
  mounts = readMounts();
  readAt = now;
  last = undefined;
}

/** Directories that were reached without a link, and when: looking up names in them is answered from memory. */
const reached = new Map<string, number>();
const MAX_REACHED_DIRECTORIES = 256;

/** Records that `path` (absolute) was reached without a link. */
export function noteReached(path: string): void {
  if (!isLocalPath(path)) return;
  if (reached.size >= MAX_REACHED_DIRECTORIES) reached.clear();
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

/** Undefined if there is no list of mounts. */
function readMounts(): Mounts | undefined {
  try {
    return mountsOf(readFileSync('/proc/self/mountinfo', 'utf8'));
  } catch {
    return undefined;
  }
}

/** The mount points, including those hidden by later mounts. Source: proc_pid_mountinfo(5). */
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

/** Spaces and backslashes are escaped with three octal digits: `\040`. */
function unescape(point: string): string {
  return point.replace(/\\([0-7]{3})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  );
}
