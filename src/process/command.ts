/**
 * Starts a shell command in its own process group, with stdin closed, and forwards its output while it runs.
 */

import { type ChildProcess, spawn, type SpawnOptions } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, constants, existsSync, openSync, readSync, rmSync } from 'node:fs';
import { Socket, type SocketConstructorOpts, type TcpSocketConnectOpts } from 'node:net';
import { join } from 'node:path';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { OrielError } from '../errors.ts';
import { closePipe, type PipeEnds, sparePipes } from '../files/descriptors.ts';
import { errno } from '../files/system-failure.ts';
import {
  type EndedProcesses,
  endTree,
  killTree,
  processStartTime,
  type ProcessTree,
} from './process-tree.ts';
import { RUNTIME } from './runtime.ts';
import { startProcess } from './start.ts';
import { watch, type WatchedProcess } from './watchdog.ts';

/** The environment variable with the tokens of all runs that a process belongs to, the innermost last. */
export const TOKEN_NAME = 'ORIEL_RUN';

export interface ShellCommand {
  readonly command: string;
  /** Absolute path of a directory. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Receivers of stdout and stderr; one receiver for both keeps the order in which they were written. */
  readonly takes: readonly TakeChunk[];
  /** A directory private to this user, for temporary FIFOs; without one, sockets are used. */
  readonly directory: string | undefined;
}

export interface ShellExit {
  readonly code?: number | undefined;
  readonly signal?: string | undefined;
}

export interface RunningShell {
  /** Resolves when the shell itself has exited; its children may still run. */
  readonly exited: Promise<ShellExit>;
  /** Resolves when every writing end of its output is closed and all output has been read. */
  readonly drained: Promise<void>;
  /** Whether reading is paused by backpressure. */
  readonly paused: boolean;
  /** Ends the shell and its descendants: SIGTERM, and after `grace` ms SIGKILL. */
  end(grace: number): Promise<EndedProcesses>;
  /** Stops reading the output. */
  release(): void;
}

/** Starts `command` in bash, or in sh if there is no bash. Throws OrielError `BAD_INPUT`, `UNSUPPORTED`, `DENIED`. */
export async function startShell(options: ShellCommand): Promise<RunningShell> {
  if (options.command.includes('\0')) {
    throw new OrielError('BAD_INPUT', 'The command contains a NUL character, which no shell accepts.');
  }
  const token = randomBytes(16).toString('hex');
  const outer = options.env[TOKEN_NAME];
  const env = { ...options.env, [TOKEN_NAME]: outer ? `${outer},${token}` : token };
  const pipes =
    options.directory === undefined ? undefined : await openPipes(options.directory, options.takes.length);
  const ends = pipes?.map((pipe) => pipe.writeEnd) ?? (['pipe', 'pipe'] as const);
  const began = performance.now();
  const watched = watch(token);
  let child: ChildProcess;
  try {
    child = await spawnShell(options.command, {
      cwd: options.cwd,
      env,
      stdio: ['ignore', ends[0], ends.at(-1)],
      detached: true,
      windowsHide: true,
    });
  } catch (error) {
    watched.release();
    for (const pipe of pipes ?? []) pipe.discard();
    throw error;
  }
  watched.isRunning(child.pid as number);
  const intakes = pipes
    ? pipes.map((pipe, i) => pipe.read(options.takes[i] as TakeChunk))
    : socketIntakes(child, options.takes);
  return shell(child, { token, began }, intakes, watched);
}

async function spawnShell(command: string, options: SpawnOptions): Promise<ChildProcess> {
  for (const name of ['bash', 'sh']) {
    const started = await tryStart(name, command, options);
    if (started instanceof Error) {
      if (started.code === 'ENOENT') continue;
      throw refusal(started, command);
    }
    return started;
  }
  if (!existsSync(options.cwd as string)) {
    throw new OrielError('NOT_FOUND', 'The working directory is no longer there.');
  }
  throw new OrielError('UNSUPPORTED', 'There is neither bash nor sh on the PATH.');
}

function tryStart(
  shell: string,
  command: string,
  options: SpawnOptions,
): Promise<ChildProcess | NodeJS.ErrnoException> {
  return new Promise((resolve) => {
    try {
      const child = startProcess(shell, ['-c', '--', command], options);
      child.once('spawn', () => resolve(child));
      child.once('error', resolve);
    } catch (error) {
      resolve(error as NodeJS.ErrnoException);
    }
  });
}

function refusal(error: NodeJS.ErrnoException, command: string): OrielError {
  if (error.code === 'E2BIG') {
    const bytes = Buffer.byteLength(command);
    return new OrielError(
      'BAD_INPUT',
      `The command is ${bytes} bytes long, more than the system allows (131,071 on Linux): write it to a file and run that.`,
    );
  }
  const denied = error.code === 'EACCES' || error.code === 'EPERM';
  return new OrielError(denied ? 'DENIED' : 'BUSY', `The shell could not be started (${error.code}).`);
}

/** Without real pipes, merged streams are in the order in which they arrive here. */
function socketIntakes(child: ChildProcess, takes: ShellCommand['takes']): OutputIntake[] {
  const streams = [child.stdout, child.stderr].filter((stream) => stream !== null);
  return streams.map((stream, i) => readStream(stream, takes[i] ?? (takes[0] as TakeChunk)));
}

function shell(
  child: ChildProcess,
  { token, began }: Pick<ProcessTree, 'token' | 'began'>,
  intakes: readonly OutputIntake[],
  watched: WatchedProcess,
): RunningShell {
  const pid = child.pid as number;
  const tree: ProcessTree = { pid, token, since: processStartTime(pid), began };
  const isOver = killAtExit(tree);
  // The child has only just been started: its exit cannot have been reported yet.
  const exited = new Promise<ShellExit>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code: code ?? undefined, signal: signal ?? undefined }));
  });
  return {
    exited,
    drained: Promise.all(intakes.map((intake) => intake.ended)).then(() => undefined),
    get paused() {
      return intakes.some((intake) => intake.paused);
    },
    end: (grace) => endTree(tree, grace),
    release() {
      isOver();
      watched.release();
      for (const intake of intakes) intake.close();
    },
  };
}

const running = new Set<ProcessTree>();

/** Kills the command if this process exits first. If this process is killed, the watchdog does it. */
export function killAtExit(tree: ProcessTree): () => void {
  if (running.size === 0) process.on('exit', killRunning);
  running.add(tree);
  return () => {
    running.delete(tree);
    if (running.size === 0) process.off('exit', killRunning);
  };
}

function killRunning(): void {
  for (const tree of running) killTree(tree);
}

// Reads the output of child processes from real pipes. Node's own `pipe` is a socket, on which `echo x > /dev/stderr`
// fails; and two sockets lose the order of stdout and stderr.

/** The default capacity of a pipe on Linux: a single read returns at most this much. */
const READ = 64 << 10;

/**
 * Receives a chunk, which is only valid during the call. Reading pauses until a returned promise resolves:
 * backpressure.
 */
export type TakeChunk = (chunk: Uint8Array) => Promise<void> | undefined;

/** The reading of one stream of a child. */
export interface OutputIntake {
  /** Resolves when every writing end is closed and all output has been processed. */
  readonly ended: Promise<void>;
  /** Whether reading is paused by backpressure. */
  readonly paused: boolean;
  /** Stops reading: processes that still write get EPIPE. */
  close(): void;
}

interface OutputPipe {
  /** The descriptor for a child. */
  readonly writeEnd: number;
  /**
   * Begins to read. Call it when the child has the writing end: this process then closes its own, because
   * otherwise the pipe would never end.
   */
  read(take: TakeChunk): OutputIntake;
  /** Closes both ends of a pipe that no child has. */
  discard(): void;
}

/** Number of pipes that one process makes: it takes as long as a short command. */
const PIPES_AT_ONCE = 6;

/**
 * `count` pipes, made as FIFOs in `directory`, which is private to this user, and unlinked immediately. Undefined if they
 * cannot be made: there is no `mkfifo`, or the file system does not support FIFOs.
 */
export async function openPipes(directory: string, count: number): Promise<OutputPipe[] | undefined> {
  if (sparePipes.length < count) await makePipes(directory);
  if (sparePipes.length < count) return undefined;
  return sparePipes.splice(0, count).map((ends) => ({
    writeEnd: ends.writeEnd,
    read(take) {
      closeSync(ends.writeEnd);
      return (RUNTIME === 'node' ? readInto : pollInto)(Buffer.allocUnsafeSlow(READ), ends.readEnd, take);
    },
    discard: () => closePipe(ends),
  }));
}

/** Adds those that could be opened; there may be too few descriptors for all. */
async function makePipes(directory: string): Promise<void> {
  const paths = Array.from({ length: PIPES_AT_ONCE }, () =>
    join(directory, `pipe-${randomBytes(8).toString('hex')}`),
  );
  try {
    await once(spawn('mkfifo', ['-m', '600', ...paths], { stdio: 'ignore' }), 'close');
    for (const path of paths) sparePipes.push(openEnds(path));
  } catch {
    // The caller counts them.
  } finally {
    for (const path of paths) unlinkQuietly(path);
  }
}

/** A name that remains is removed later with its directory. */
function unlinkQuietly(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // The pipes work without this.
  }
}

/** The reading end first and without blocking: opening the writing end alone would wait for a reader. */
function openEnds(path: string): PipeEnds {
  const readEnd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    return { readEnd, writeEnd: openSync(path, constants.O_WRONLY) };
  } catch (error) {
    closeSync(readEnd);
    throw error;
  }
}

/** Reads into one buffer, which is reused, so that gigabytes of output create no garbage. */
function readInto(buffer: Buffer, fd: number, take: TakeChunk): OutputIntake {
  let paused = false;
  const options: SocketConstructorOpts & Pick<TcpSocketConnectOpts, 'onread'> = {
    fd,
    readable: true,
    writable: false,
    onread: {
      buffer,
      callback(length) {
        const wait = take(buffer.subarray(0, length));
        if (!wait) return true;
        paused = true;
        void wait.then(() => {
          paused = false;
          socket.resume();
        });
        return false;
      },
    },
  };
  const socket = new Socket(options);
  socket.resume();
  return {
    ended: whenOver(socket),
    get paused() {
      return paused;
    },
    close: () => socket.destroy(),
  };
}

/** Milliseconds between two reads of an empty pipe: at first, and at most. */
const MIN_POLL_MS = 1;
const MAX_POLL_MS = 16;

/** The same without a socket: under Bun one never ends on a FIFO, and under Deno it cannot be opened. */
export function pollInto(buffer: Buffer, fd: number, take: TakeChunk): OutputIntake {
  let [paused, isOpen] = [false, true];
  const close = (): void => {
    if (isOpen) closeSync(fd);
    isOpen = false;
  };
  const poll = async (): Promise<void> => {
    for (let wait = MIN_POLL_MS; isOpen;) {
      const length = readAvailable(fd, buffer);
      if (length === 0) break;
      if (length === undefined) {
        await sleep(wait);
        wait = Math.min(2 * wait, MAX_POLL_MS);
        continue;
      }
      wait = MIN_POLL_MS;
      const taken = take(buffer.subarray(0, length));
      paused = taken !== undefined;
      await (taken ?? setImmediate());
      paused = false;
    }
    close();
  };
  return {
    ended: poll(),
    get paused() {
      return paused;
    },
    close,
  };
}

/** The number of bytes read: 0 at the end, undefined if there are none yet. A pipe that cannot be read has ended. */
function readAvailable(fd: number, buffer: Buffer): number | undefined {
  try {
    return readSync(fd, buffer, 0, buffer.length, null);
  } catch (error) {
    return errno(error) === 'EAGAIN' ? undefined : 0;
  }
}

/** The same for a stream of Node. */
export function readStream(
  stream: NodeJS.ReadableStream & { destroy(): void },
  take: TakeChunk,
): OutputIntake {
  let paused = false;
  stream.on('data', (chunk: Buffer) => {
    const wait = take(chunk);
    if (!wait) return;
    paused = true;
    stream.pause();
    void wait.then(() => {
      paused = false;
      stream.resume();
    });
  });
  return {
    ended: whenOver(stream),
    get paused() {
      return paused;
    },
    close: () => stream.destroy(),
  };
}

function whenOver(stream: NodeJS.ReadableStream): Promise<void> {
  return new Promise((resolve) => {
    stream.on('end', resolve);
    stream.on('close', resolve);
    stream.on('error', () => resolve());
  });
}
