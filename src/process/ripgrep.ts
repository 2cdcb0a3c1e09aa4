/**
 * Runs ripgrep as an engine for regular expressions, on bytes from a pipe or on an open file. It never receives a path to
 * search. The caller interprets the output.
 */

import type { ChildProcess, StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, closeSync, constants, existsSync, openSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, isAbsolute, join, parse } from 'node:path';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { OrielError } from '../errors.ts';
import { installCommand, packageRequire } from '../files/package-files.ts';
import { isShortage, isStartShortage } from '../files/system-failure.ts';
import { queues, SharedSlots } from '../queues/queue-table.ts';
import { startProcess } from './start.ts';
import { watchHelper } from './watchdog.ts';

export interface RipgrepJob {
  /** Single words; a value is joined to its flag (`--regexp=…`), so that no value can become a flag. */
  readonly flags: readonly string[];
  readonly input: RipgrepInput;
  /** `performance.now()` at which the process is killed. */
  readonly deadline: number;
  readonly signal?: AbortSignal | undefined;
}

/** The input to search. */
export type RipgrepInput =
  | { readonly kind: 'bytes'; readonly bytes: AsyncIterable<Uint8Array> }
  /** An open file, where descriptors have paths (`hasDescriptorPaths`). */
  | { readonly kind: 'file'; readonly fd: number };

export interface RipgrepOutcome {
  /** The exit code of ripgrep: 0 found, 1 nothing found, 2 error; undefined if it was ended by a signal. */
  readonly code: number | undefined;
  /** The first 64 KiB of stderr. */
  readonly stderr: string;
  readonly timedOut: boolean;
  /** It exceeded its memory limit: a line of hundreds of megabytes. With `--mmap` that needs no memory. */
  readonly outOfMemory: boolean;
  /** It was not ended by oriel, so its output is incomplete. */
  readonly broken: boolean;
  /** It was ended by SIGBUS (a mapped page is missing): the file was truncated meanwhile, or the disk failed. */
  readonly unmapped: boolean;
}

/** ripgrep must not read configuration, ignore files or compressed files. Binary files were excluded before. */
const FIXED_FLAGS = [
  '--no-config',
  '--color=never',
  '--no-pre',
  '--no-search-zip',
  '--no-ignore',
  '--no-filename',
  '--no-heading',
  '--text',
  '--threads=1',
];

/** The file to search, which the process inherits as the first descriptor after stderr. */
const INHERITED_FILE = '/proc/self/fd/3';

const SHELL = '/bin/sh';

const STDERR_BYTES = 64 * 1024;

/** The slots of searches: a call holds one for its walk and all its processes together. */
export const searchSlots: SharedSlots = new SharedSlots(queues.ripgrep);

/** Maximum kilobytes of private memory; pages of mapped files do not count. */
const DATA_KIB = 256 * 1024;

/**
 * One run. Iterating starts the process and yields its stdout in chunks; leaving the loop early kills it. `outcome` is set
 * when the iteration has ended. Throws `UNSUPPORTED` if there is no ripgrep, `BUSY` if too many searches wait, the
 * system's error if it lacks what a process needs, the error of an input of bytes that failed (what was yielded belongs to the
 * bytes before), and the signal's reason.
 */
export class RipgrepRun implements AsyncIterable<Buffer> {
  /** Undefined while it runs, and if the loop was left early. */
  outcome: RipgrepOutcome | undefined;
  /** The error of the input, which the iteration throws; undefined if it did not fail. */
  inputFailure: unknown;
  readonly #job: RipgrepJob;

  constructor(job: RipgrepJob) {
    this.#job = job;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer, void> {
    const { signal, deadline } = this.#job;
    signal?.throwIfAborted();
    if (deadline <= performance.now()) {
      this.outcome = {
        code: undefined,
        stderr: '',
        timedOut: true,
        outOfMemory: false,
        broken: false,
        unmapped: false,
      };
      return;
    }
    const { input } = this.#job;
    const watched = input.kind === 'file' ? input : { ...input, bytes: this.#watched(input.bytes) };
    const { child, ended } = await startInSlot(this.#job, watched);
    const stderr = collect(child);
    let timedOut = false;
    const kill = (): void => void child.kill('SIGKILL');
    const stop = (): void => {
      timedOut = true;
      kill();
    };
    const timer = setTimeout(stop, Math.max(0, Math.min(deadline - performance.now(), 2 ** 31 - 1)));
    signal?.addEventListener('abort', kill, { once: true });
    // The signal may have been aborted while the process started.
    if (signal?.aborted) kill();
    try {
      if (child.stdout) for await (const chunk of child.stdout) yield chunk as Buffer;
      const code = await ended;
      signal?.throwIfAborted();
      if (this.inputFailure !== undefined) throw this.inputFailure;
      const unmapped = child.signalCode === 'SIGBUS';
      const said = stderr();
      const outOfMemory = said.includes('memory allocation of') && code === undefined;
      const broken = code !== 0 && code !== 1 && code !== 2 && !timedOut && !outOfMemory;
      this.outcome = { code, stderr: said, timedOut, outOfMemory, broken, unmapped };
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', kill);
      kill();
    }
  }

  /** Keeps the error of the input, which the process cannot tell from the end of it. */
  async *#watched(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
    try {
      yield* bytes;
    } catch (error) {
      this.inputFailure = error;
      throw error;
    }
  }
}

/**
 * Splits into records without their separator, in batches, with one character for each byte (latin1). A record without an
 * end is cut after `most` bytes plus at most one chunk of 64 KiB.
 */
export async function* splitRecords(
  chunks: AsyncIterable<Buffer>,
  separator: '\0' | '\n',
  most: number,
): AsyncGenerator<string[], void> {
  let rest = '';
  for await (const chunk of chunks) {
    const batch = (rest + chunk.toString('latin1')).split(separator);
    rest = (batch.pop() ?? '').slice(0, most);
    if (batch.length > 0) yield batch;
  }
  if (rest !== '') yield [rest];
}

/** The process holds its slot until it has exited, even if its output is not read any more. */
async function startInSlot(
  job: RipgrepJob,
  input: RipgrepInput,
): Promise<{ child: ChildProcess; ended: Promise<number | undefined> }> {
  const slot = await searchSlots.take(job.signal);
  try {
    job.signal?.throwIfAborted();
    const child = startJob(job, input);
    const ended = whenEnded(child);
    // A process that reads from a pipe ends with this process, because its input ends.
    const unwatch = input.kind === 'file' ? watchHelper(child) : () => undefined;
    const over = (): void => {
      unwatch();
      slot.release();
    };
    ended.then(over, over);
    return { child, ended };
  } catch (error) {
    slot.release();
    throw error;
  }
}

function startJob({ flags }: RipgrepJob, input: RipgrepInput): ChildProcess {
  const words = [...FIXED_FLAGS, ...flags, '--', input.kind === 'bytes' ? '-' : INHERITED_FILE];
  const nul = words.find((word) => word.includes('\0'));
  if (nul !== undefined)
    throw new OrielError('BAD_INPUT', 'A pattern, glob or path cannot contain a NUL character.');
  const [command, args] = bounded(ripgrepPath(), words);
  // An empty environment: RIPGREP_CONFIG_PATH would add flags, among them --pre, which runs programs.
  const env = process.platform === 'win32' ? { SystemRoot: process.env['SystemRoot'] } : {};
  const stdio: StdioOptions =
    input.kind === 'bytes' ? ['pipe', 'pipe', 'pipe'] : ['ignore', 'pipe', 'pipe', input.fd];
  const child = startProcess(command, args, {
    cwd: parse(process.execPath).root,
    env,
    stdio,
    windowsHide: true,
  });
  // It may exit before it has read all of its input; an error of the input itself is kept.
  if (input.kind === 'bytes' && child.stdin) pipeline(input.bytes, child.stdin).catch(() => undefined);
  return child;
}

/**
 * Limits the memory, because ripgrep holds whole lines in memory. On Linux a shell sets the limit, since Node cannot; on
 * other systems there is none (macOS does not enforce it). The shell also disables core dumps, for SIGBUS.
 */
function bounded(rg: string, words: readonly string[]): [string, string[]] {
  if (process.platform !== 'linux' || !existsSync(SHELL)) return [rg, [...words]];
  return [
    SHELL,
    ['-c', `ulimit -S -d ${DATA_KIB} 2>/dev/null; ulimit -S -c 0; exec "$0" "$@"`, rg, ...words],
  ];
}

function whenEnded(child: ChildProcess): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    child.once('error', (error) =>
      reject(
        isStartShortage(error)
          ? error
          : new OrielError('UNSUPPORTED', `ripgrep could not be started: ${error.message.slice(0, 100)}.`),
      ),
    );
    child.once('close', (code) => resolve(code ?? undefined));
  });
}

function collect(child: ChildProcess): () => string {
  const kept: Buffer[] = [];
  let room = STDERR_BYTES;
  child.stderr?.on('data', (chunk: Buffer) => {
    if (room > 0) kept.push(chunk.subarray(0, room));
    room -= chunk.length;
  });
  return () => Buffer.concat(kept).toString('utf8');
}

// ripgrep's file types: names for sets of globs.

const TIMEOUT_MS = 10_000;

let knownFileTypes: ReadonlyMap<string, readonly string[]> | undefined;

/** The globs of each type of the installed ripgrep, read once per process. Throws `UNSUPPORTED`, and the system's error if it lacks what a process needs. */
export async function fileTypes(signal: AbortSignal): Promise<ReadonlyMap<string, readonly string[]>> {
  knownFileTypes ??= parseTypeList(await typeList(signal));
  return knownFileTypes;
}

async function typeList(signal: AbortSignal): Promise<string> {
  const slot = await searchSlots.take(signal);
  try {
    const env = process.platform === 'win32' ? { SystemRoot: process.env['SystemRoot'] } : {};
    const child = startProcess(ripgrepPath(), ['--no-config', '--type-list'], {
      env,
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: TIMEOUT_MS,
      windowsHide: true,
    });
    // Without descriptors there is no stream, and then an error.
    const list = child.stdout ? text(child.stdout) : '';
    const [[code], said] = await Promise.all([once(child, 'close'), list]);
    if (code !== 0) throw new Error(`ripgrep ended with ${String(code)}`);
    return said;
  } catch (error) {
    if (isStartShortage(error)) throw error;
    throw new OrielError('UNSUPPORTED', 'ripgrep could not be asked for its file types. Use glob instead.', {
      cause: error,
    });
  } finally {
    slot.release();
  }
}

/** Parses lines like `make: *.mak, *.mk, Makefile`. */
function parseTypeList(list: string): Map<string, readonly string[]> {
  const lines = list.split('\n').filter((line) => line.includes(': '));
  return new Map(
    lines.map((line) => {
      const [name = '', ...globs] = line.trim().split(/: |, /);
      return [name, globs];
    }),
  );
}

// Finds the ripgrep binary: the one of the package, otherwise one on PATH.

let knownRipgrepPath: string | undefined;

/** The absolute path, searched once per process. Throws `UNSUPPORTED`, and the system's error if there are no descriptors. */
export function ripgrepPath(): string {
  if (knownRipgrepPath !== undefined) return knownRipgrepPath;
  // Without a free descriptor Node.js does not find the package, and remembers that for the rest of the process.
  expectDescriptor();
  knownRipgrepPath = packaged() ?? onPath(process.env['PATH'] ?? '');
  if (knownRipgrepPath !== undefined) return knownRipgrepPath;
  throw new OrielError(
    'UNSUPPORTED',
    `ripgrep is not installed: neither the package ${platformPackage()} nor "rg" on PATH was found. Use ${installCommand(['@vscode/ripgrep'])}`,
  );
}

/** Throws the system's error if no descriptor is free. */
function expectDescriptor(): void {
  try {
    closeSync(openSync(process.execPath, 'r'));
  } catch (error) {
    // The file itself may be gone, after an update of Node.js.
    if (isShortage(error)) throw error;
  }
}

/**
 * The binary is in a separate package for each platform, which only `@vscode/ripgrep` is sure to see (pnpm
 * nests it there). Its path is found without running that package's code.
 */
function packaged(): string | undefined {
  try {
    const index = packageRequire().resolve('@vscode/ripgrep');
    return createRequire(index).resolve(`${platformPackage()}/bin/${binary()}`);
  } catch {
    return undefined;
  }
}

/** The first executable `rg` in an absolute directory of `path`: a relative one would run a file of the workspace. */
export function onPath(path: string): string | undefined {
  return path
    .split(delimiter)
    .filter((directory) => isAbsolute(directory))
    .map((directory) => join(directory, binary()))
    .find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

function binary(): string {
  return process.platform === 'win32' ? 'rg.exe' : 'rg';
}

function platformPackage(): string {
  return `@vscode/ripgrep-${process.platform}-${process.arch}`;
}
