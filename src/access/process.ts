/**
 * Starts a shell command in its own process group, with stdin closed, and forwards its output while it runs.
 */

import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { OrielError } from '../errors.ts';
import { type Intake, type Take, openPipes, readStream } from './pipe.ts';
import { start, type StartOptions } from './start.ts';
import { beginOf, type Ended, endTree, killTree } from './process-tree.ts';
import type { Tree } from './tree-members.ts';
import { watch, type Watched } from './watchdog.ts';

/** The environment variable with the tokens of all runs that a process belongs to, the innermost last. */
export const TOKEN_NAME = 'ORIEL_RUN';

export interface ShellCommand {
  readonly command: string;
  /** Absolute path of a directory. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Receivers of stdout and stderr; one receiver for both keeps the order in which they were written. */
  readonly takes: readonly Take[];
  /** A directory private to this user, for temporary FIFOs; without one, sockets are used. */
  readonly directory: string | undefined;
}

export interface Exit {
  readonly code?: number;
  readonly signal?: string;
}

export interface Shell {
  /** Resolves when the shell itself has exited; its children may still run. */
  readonly exited: Promise<Exit>;
  /** Resolves when every writing end of its output is closed and all output has been read. */
  readonly drained: Promise<void>;
  /** Whether reading is paused by backpressure. */
  readonly paused: boolean;
  /** Ends the shell and its descendants: SIGTERM, and after `grace` ms SIGKILL. */
  end(grace: number): Promise<Ended>;
  /** Stops reading the output. */
  release(): void;
}

/** Starts `command` in bash, or in sh if there is no bash. Throws OrielError `BAD_INPUT`, `UNSUPPORTED`, `DENIED`. */
export async function startShell(options: ShellCommand): Promise<Shell> {
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
    ? pipes.map((pipe, i) => pipe.read(options.takes[i] as Take))
    : socketIntakes(child, options.takes);
  return shell(child, { token, began }, intakes, watched);
}

async function spawnShell(command: string, options: StartOptions): Promise<ChildProcess> {
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
  options: StartOptions,
): Promise<ChildProcess | NodeJS.ErrnoException> {
  return new Promise((resolve) => {
    try {
      const child = start(shell, ['-c', '--', command], options);
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
function socketIntakes(child: ChildProcess, takes: ShellCommand['takes']): Intake[] {
  const streams = [child.stdout, child.stderr].filter((stream) => stream !== null);
  return streams.map((stream, i) => readStream(stream, takes[i] ?? (takes[0] as Take)));
}

function shell(
  child: ChildProcess,
  { token, began }: Pick<Tree, 'token' | 'began'>,
  intakes: readonly Intake[],
  watched: Watched,
): Shell {
  const pid = child.pid as number;
  const tree: Tree = { pid, token, since: beginOf(pid), began };
  const isOver = endWithUs(tree);
  // The child has only just been started: its exit cannot have been reported yet.
  const exited = new Promise<Exit>((resolve) => {
    child.once('exit', (code, signal) => resolve(exitOf(code, signal)));
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

const running = new Set<Tree>();

/** Kills the command if this process exits first. If this process is killed, the watchdog does it. */
export function endWithUs(tree: Tree): () => void {
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

function exitOf(code: number | null, signal: string | null): Exit {
  return { ...(code !== null && { code }), ...(signal !== null && { signal }) };
}
