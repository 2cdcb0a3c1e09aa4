/**
 * Runs ripgrep: what it may see, how it is bounded and how it is ended. What its output means is left to the
 * caller; what it names must be opened again through `Access` before it is shown.
 */

import { isUtf8 } from 'node:buffer';
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { OrielError } from '../errors.ts';
import { SharedSlots } from '../queues/shared-slots.ts';
import { queues } from '../queues/table.ts';
import { ripgrepPath } from './ripgrep-path.ts';

export interface RipgrepJob {
  /** Absolute path of a directory: operands and output are relative to it. */
  readonly cwd: string;
  /** Single words; a value is joined to its flag (`--regexp=…`), so that no value can become a flag. */
  readonly flags: readonly string[];
  /** Paths relative to `cwd`, each beginning with `./`. */
  readonly operands: readonly string[];
  /** What it reads on stdin, for the operand `-`; without it stdin is closed. */
  readonly input?: AsyncIterable<Uint8Array>;
  /** `performance.now()` at which the process is killed. */
  readonly deadline: number;
  readonly signal?: AbortSignal;
}

export interface RipgrepOutcome {
  /** ripgrep's own: 0 found, 1 nothing found, 2 error; undefined when it was ended by a signal. */
  readonly code: number | undefined;
  /** The first 64 KiB of what it said on stderr. */
  readonly stderr: string;
  readonly timedOut: boolean;
  /** It needed more memory than it may have: a line of hundreds of megabytes. `--mmap` needs none. */
  readonly outOfMemory: boolean;
}

/** Never read: the user's configuration, stdin, compressed files, anything behind a link. */
const FIXED_FLAGS = [
  '--no-config',
  '--color=never',
  '--path-separator=/',
  '--no-follow',
  '--no-pre',
  '--no-search-zip',
  '--no-ignore-global',
  '--no-ignore-messages',
];

const SHELL = '/bin/sh';

const STDERR_BYTES = 64 * 1024;

const slots = new SharedSlots(queues.ripgrep);

/** Kilobytes of private memory; pages of mapped files do not count. */
const DATA_KIB = 256 * 1024;

/**
 * One run. Iterating starts the process and yields its stdout in chunks as they come; leaving the loop early kills
 * it. `outcome` tells how it ended, once the iteration is over. Throws `UNSUPPORTED` when there is no ripgrep, `BUSY`
 * when too many searches wait, and the signal's reason when that was aborted.
 */
export class RipgrepRun implements AsyncIterable<Buffer> {
  #outcome: RipgrepOutcome | undefined;
  readonly #job: RipgrepJob;

  constructor(job: RipgrepJob) {
    this.#job = job;
  }

  /** Undefined while it runs and when the reader left early. */
  get outcome(): RipgrepOutcome | undefined {
    return this.#outcome;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer, void> {
    const { signal, deadline } = this.#job;
    signal?.throwIfAborted();
    if (deadline <= performance.now()) {
      this.#outcome = { code: undefined, stderr: '', timedOut: true, outOfMemory: false };
      return;
    }
    const { child, ended } = await startInSlot(this.#job);
    const stderr = collect(child);
    let timedOut = false;
    const kill = (): void => void child.kill('SIGKILL');
    const stop = (): void => {
      timedOut = true;
      kill();
    };
    const timer = setTimeout(stop, Math.max(0, Math.min(deadline - performance.now(), 2 ** 31 - 1)));
    signal?.addEventListener('abort', kill, { once: true });
    try {
      if (child.stdout) for await (const chunk of child.stdout) yield chunk as Buffer;
      const code = await ended;
      signal?.throwIfAborted();
      const said = stderr();
      const outOfMemory = said.includes('memory allocation of') && code === undefined;
      this.#outcome = { code, stderr: said, timedOut, outOfMemory };
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', kill);
      kill();
    }
  }
}

/**
 * Records without their separator, in batches as they come, one character for each byte (latin1: cheap, and `utf8`
 * reads it back). A record that never ends is cut at `most` bytes and what was read with it, 64 KiB: names and
 * addresses are short.
 */
export async function* records(
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

/** The text of a record, or undefined where its bytes are not UTF-8: a name that no string can open. */
export function utf8(record: string): string | undefined {
  if (!/[^\0-\x7f]/.test(record)) return record;
  const bytes = Buffer.from(record, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : undefined;
}

export interface ListFilesOptions {
  /** Files after which the walk ends. */
  readonly most: number;
  /** Milliseconds from now after which the walk ends. */
  readonly deadlineMs: number;
  readonly signal?: AbortSignal;
}

/**
 * Regular files below `dir` (absolute), hidden ones too, relative to it, in no order; `.gitignore` is honoured and
 * `.git` left out. Ends quietly at its bounds. Names that are not UTF-8 are left out: no string names them.
 */
export async function* listFiles(dir: string, options: ListFilesOptions): AsyncGenerator<string, void> {
  const { most, deadlineMs, signal } = options;
  const flags = ['--files', '--null', '--hidden', '--glob=!.git', '--no-require-git', '--no-messages'];
  const deadline = performance.now() + deadlineMs;
  const run = new RipgrepRun({ cwd: dir, flags, operands: ['./'], deadline, ...(signal && { signal }) });
  let left = most;
  for await (const batch of records(run, '\0', MAX_PATH)) {
    for (const record of batch) {
      const name = utf8(record);
      if (name === undefined) continue;
      if (left-- <= 0) return;
      yield name.slice('./'.length);
    }
  }
}

/** Bytes; longer than any path that a kernel opens. */
export const MAX_PATH = 8 * 1024;

/** The process has its slot until it has ended, also when nobody reads what it says any more. */
async function startInSlot(
  job: RipgrepJob,
): Promise<{ child: ChildProcess; ended: Promise<number | undefined> }> {
  const slot = await slots.take(job.signal);
  try {
    job.signal?.throwIfAborted();
    const child = start(job);
    const ended = whenEnded(child);
    ended.then(slot.release, slot.release);
    return { child, ended };
  } catch (error) {
    slot.release();
    throw error;
  }
}

function start(job: RipgrepJob): ChildProcess {
  const words = [...FIXED_FLAGS, ...job.flags, '--', ...job.operands];
  const nul = words.find((word) => word.includes('\0'));
  if (nul !== undefined)
    throw new OrielError('BAD_INPUT', 'A pattern, glob or path cannot contain a NUL character.');
  const [command, args] = bounded(ripgrepPath(), words);
  // An empty environment: RIPGREP_CONFIG_PATH would add flags, among them --pre, which runs programs.
  const env = process.platform === 'win32' ? { SystemRoot: process.env['SystemRoot'] } : {};
  const stdin = job.input ? 'pipe' : 'ignore';
  const child = spawn(command, args, {
    cwd: job.cwd,
    env,
    stdio: [stdin, 'pipe', 'pipe'],
    windowsHide: true,
  });
  // It may end before it has read everything.
  if (job.input && child.stdin) pipeline(job.input, child.stdin).catch(() => undefined);
  return child;
}

/**
 * ripgrep holds a line in memory whole. On Linux the shell sets the limit, since Node cannot; elsewhere there is
 * none (macOS does not enforce it).
 */
function bounded(rg: string, words: readonly string[]): [string, string[]] {
  if (process.platform !== 'linux' || !existsSync(SHELL)) return [rg, [...words]];
  return [SHELL, ['-c', `ulimit -S -d ${DATA_KIB} 2>/dev/null; exec "$0" "$@"`, rg, ...words]];
}

function whenEnded(child: ChildProcess): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    child.once('error', (error) =>
      reject(new OrielError('UNSUPPORTED', `ripgrep could not be started: ${error.message.slice(0, 100)}.`)),
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
