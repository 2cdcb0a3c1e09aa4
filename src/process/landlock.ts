/**
 * Confines a process of Bun, which has no permissions of its own: by Landlock, where Linux has it (5.13, with TCP 6.7). The process
 * is replaced then, because Landlock confines only the thread that asks for it, and Bun has already started others.
 * Source: landlock(7).
 */

import { closeSync, constants, fstatSync, openSync } from 'node:fs';

/** The functions of the C library; `undefined` where `bun:ffi` does not find them. */
interface CLibrary {
  syscall(...numbers: (number | bigint)[]): bigint;
  execv(program: bigint, args: bigint): number;
}

type ForeignFunctions = {
  ptr(memory: ArrayBufferView): number;
  dlopen(name: string, functions: Readonly<Record<string, object>>): { readonly symbols: CLibrary };
};

const LIBRARIES = ['libc.so.6', `libc.musl-${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}.so.1`];

/** The same numbers on all architectures but prctl's. */
const [CREATE_RULESET, ADD_RULE, RESTRICT_SELF] = [444, 445, 446];
const PRCTL: number | undefined = { x64: 157, arm64: 167 }[process.arch as string];
const PR_SET_NO_NEW_PRIVS = 38;
const VERSION_FLAG = 1;
const RULE_PATH_BENEATH = 1;

/** Execute, read a file, read a directory; a directory's right is invalid for a file. */
const READ = 0b1101;
const READ_DIRECTORY = 0b1000;

/** All rights over files that a version knows, then of TCP, and of signals and abstract sockets. */
const FILE_RIGHTS = [0, 0x1fff, 0x3fff, 0x7fff, 0x7fff, 0xffff];
const ALL_OF_TWO = 0b11n;

/**
 * What every program reads: its libraries, its own process, and `ldd`, whose text tells native parts that the system has musl.
 * Those that do not exist are passed over.
 */
const SYSTEM = [
  '/lib',
  '/lib64',
  '/usr/lib',
  '/usr/lib64',
  '/usr/bin/ldd',
  '/nix/store',
  '/etc/ld.so.cache',
  '/proc/self',
  '/dev/urandom',
];

function foreign(): { readonly ffi: ForeignFunctions; readonly c: CLibrary } {
  const ffi = process.getBuiltinModule('bun:ffi') as unknown as ForeignFunctions;
  const u64 = 'u64';
  const functions = {
    syscall: { args: ['i64', u64, u64, u64, u64, u64], returns: 'i64' },
    execv: { args: [u64, u64], returns: 'i32' },
  };
  for (const library of LIBRARIES) {
    try {
      return { ffi, c: ffi.dlopen(library, functions).symbols };
    } catch {
      // The other C library.
    }
  }
  throw new Error('there is no C library');
}

/** The version of Landlock; 0 if the system has none. */
export function landlockVersion(): number {
  if (process.platform !== 'linux' || PRCTL === undefined) return 0;
  try {
    return versionOf(foreign().c);
  } catch {
    return 0;
  }
}

const versionOf = (c: CLibrary): number =>
  Math.max(0, Number(c.syscall(CREATE_RULESET, 0, 0, VERSION_FLAG, 0, 0)));

/** Replaces this process by `program`, which can read and execute what is in `paths`, and nothing else. */
export function replaceConfined(program: string, args: readonly string[], paths: readonly string[]): never {
  const { ffi, c } = foreign();
  const version = versionOf(c);
  if (version > 0) {
    const handled = new BigUint64Array([
      BigInt(FILE_RIGHTS[version] ?? (FILE_RIGHTS.at(-1) as number)),
      version >= 4 ? ALL_OF_TWO : 0n,
      version >= 6 ? ALL_OF_TWO : 0n,
    ]);
    const size = version >= 6 ? 24 : version >= 4 ? 16 : 8;
    const rules = Number(c.syscall(CREATE_RULESET, ffi.ptr(handled), size, 0, 0, 0));
    const add = (rule: Uint8Array): unknown =>
      c.syscall(ADD_RULE, rules, RULE_PATH_BENEATH, ffi.ptr(rule), 0, 0);
    for (const path of [program, ...paths, ...SYSTEM]) allow(path, READ, add);
    // Bun lists the directories above a package to find it.
    allow('/', READ_DIRECTORY, add);
    c.syscall(PRCTL as number, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (c.syscall(RESTRICT_SELF, rules, 0, 0, 0, 0) !== 0n) throw new Error('Landlock refused');
  }
  const words = [program, ...args].map((word) => Buffer.from(`${word}\0`));
  const pointers = new BigUint64Array([...words.map((word) => BigInt(ffi.ptr(word))), 0n]);
  c.execv(pointers[0] as bigint, BigInt(ffi.ptr(pointers)));
  throw new Error('the process was not replaced');
}

/** Source: include/uapi/linux/fcntl.h. */
const O_PATH = 0o10000000;

function allow(path: string, rights: number, add: (rule: Uint8Array) => unknown): void {
  let fd: number;
  try {
    fd = openSync(path, O_PATH | constants.O_RDONLY);
  } catch {
    return;
  }
  const rule = new DataView(new ArrayBuffer(12));
  rule.setBigUint64(0, BigInt(fstatSync(fd).isDirectory() ? rights : rights & ~READ_DIRECTORY), true);
  rule.setInt32(8, fd, true);
  add(new Uint8Array(rule.buffer));
  closeSync(fd);
}
