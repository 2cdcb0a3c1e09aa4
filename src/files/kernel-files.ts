/**
 * Detects virtual files of the kernel: some never end, some block the reader, some have side effects. The file system of
 * the opened file decides, not its path: `/dev/shm` has ordinary files, and a bind mount can put `/proc` anywhere.
 */

import { statfsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { OrielError } from '../errors.ts';
import { quote } from '../text/visible.ts';
import { isLocalPath, mountIdOf, pathInMount } from './mounts.ts';
import { isPathWithin } from './paths.ts';

const PROC = 0x9fa0;

/** Magic numbers. Sources: linux/magic.h; those not there: ipc/mqueue.c, fs/configfs, fs/fuse/control.c, net/sunrpc. */
const KERNEL_FILE_SYSTEMS: ReadonlySet<number> = new Set([
  PROC,
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

/** The path and the descriptor (undefined where /proc has none) of an opened file, and a path that opens it again. */
interface NamedFile {
  readonly fd?: number | undefined;
  readonly path: string;
  readonly again: string;
}

/**
 * The same for an opened kernel file, wherever /proc or a part of it is mounted. Returns the path of the file in its file system.
 * Throws `DENIED` too for a file of /proc whose path the system does not tell: it is mounted in another namespace, or /proc is hidden.
 */
export function nameInKernel({ fd, path, again }: NamedFile, shown: () => string): string {
  const name = fd === undefined ? undefined : pathInMount(fd, path);
  if (name === undefined && mayBeElsewhere(fd, path) && statfsSync(again).type === PROC) {
    const message = `${quote(shown())} is a file of /proc that cannot be identified, so it is not read. Use . to list the working directory.`;
    throw new OrielError('DENIED', message, { next: '.' });
  }
  if (PROCESS_SECRET.test(name ?? path)) throw processSecret(shown());
  return name ?? path;
}

/** Whether a file of /proc may have another path there than this one. Some sandboxes give descriptors no mounts. */
function mayBeElsewhere(fd: number | undefined, path: string): boolean {
  if (process.platform !== 'linux') return false;
  return !isPathWithin(path, '/proc') || (fd !== undefined && mountIdOf(fd) !== undefined);
}

function processSecret(shown: string): OrielError {
  return new OrielError(
    'DENIED',
    `${quote(shown)} shows the environment, the memory or the descriptors of a process, and is never read. Use . to list the working directory.`,
    { next: '.' },
  );
}

/**
 * Tokens in the arguments of a process: of `--token`, of a variable that a shell or JSON sets, of a header for curl. In a script the
 * names may be quoted, and a line may go on after a backslash.
 */
const TOKEN_ARGUMENT =
  /((?:--token|ORIEL_TOKEN\w*)["']?(?:[=:,\0\s]|\\\r?\n)+|Bearer\s+)(?:\\[^\0]|"[^\0"]*"|'[^\0']*'|[^\0\s])+/gi;

/** The arguments of a process (`/proc/PID/cmdline`) without tokens. */
export function withoutTokens(bytes: Buffer): Buffer {
  return Buffer.from(bytes.toString('latin1').replace(TOKEN_ARGUMENT, '$1***'), 'latin1');
}
