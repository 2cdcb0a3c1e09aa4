/** Runs a command: handles its timeout, its end for any reason, and the shown part of its output. */

import { dirname } from 'node:path';
import { hasDescriptorPaths } from '../access/descriptors.ts';
import { type Exit, type Shell, startShell } from '../access/process.ts';
import { startTimer } from '../access/timer.ts';
import type { Ended } from '../access/process-tree.ts';
import { advised, isOrielError, OrielError } from '../errors.ts';
import { outputDisplays } from '../render/display.ts';
import { didYouMean } from '../text/near.ts';
import { quote } from '../text/visible.ts';
import type { OpenedDirectory } from '../types/access.ts';
import type { Call } from '../types/call.ts';
import type { Display } from '../types/display.ts';
import type { RunRequest } from '../types/request.ts';
import type { RunResult } from '../types/result.ts';
import { cutPolicy, fitOf } from '../window/fit.ts';
import { commandEnvironment } from './environment.ts';
import { Output } from './run-output.ts';

/** Milliseconds between SIGTERM and SIGKILL for the process tree, by the reason for ending it. */
const GRACE = { timeout: 1_000, cancel: 200, background: 50 };

/**
 * Milliseconds to wait for more output after the shell has ended while another process holds its pipe open, and the longer
 * limit while a slow disk delays reading.
 */
const LATE = { pipe: 150, disk: 10_000 };

/** The result for a shell that did not end after SIGKILL. */
const UNENDED: Exit = {};

/** The interval between two progress reports, in ms. */
const REPORT = 300;

/**
 * Runs `request.command` and returns how it ended and the shown part of its output. A timeout, a signal, a cancellation
 * and a failing command are results, not errors. Throws OrielError if the command could not be started: `BAD_INPUT`,
 * `NOT_FOUND`, `NOT_DIRECTORY`, `OUTSIDE_ROOT`, …
 */
export async function run(request: RunRequest, call: Call): Promise<RunResult> {
  const timeout = timeLimit(request.timeout ?? call.settings.run.timeout);
  const directory = await workingDirectory(request.cwd, call);
  if (call.signal.aborted)
    throw new OrielError('CANCELLED', 'The call was cancelled before the command began.');
  const outputs = outputsOf(request, call);
  const began = performance.now();
  const shell = await startShell({
    command: request.command,
    cwd: enteredBy(directory),
    env: commandEnvironment(process.env, call.settings.run.environment),
    takes: outputs.map((output) => (chunk) => takenBy(output, chunk, call)),
    directory: privateDirectory(call),
  }).finally(() => directory.close());
  const stopReports = reportProgress(outputs, outputDisplays[request.display], call);
  try {
    const cause = await firstOf(shell, timeout, call.signal);
    const background = await endAll(shell, cause, call);
    const exit =
      typeof cause !== 'string'
        ? cause
        : (await isDoneWithin(shell.exited, LATE.pipe))
          ? await shell.exited
          : UNENDED;
    // From now on output of processes that continue in the background is not read.
    shell.release();
    return {
      is: 'run',
      ...(exit.code !== undefined && { exitCode: exit.code }),
      ...(exit.signal !== undefined && { signal: exit.signal }),
      timedOut: cause === 'timeout',
      cancelled: cause === 'cancel',
      timeout,
      seconds: (performance.now() - began) / 1_000,
      background,
      streams: await Promise.all(outputs.map((output) => output.finish())),
      limits: call.limits,
      display: request.display,
    };
  } finally {
    stopReports();
    shell.release();
  }
}

/** Passes a chunk to the output and to the host's listener. A promise from either is backpressure. */
function takenBy(output: Output, chunk: Uint8Array, call: Call): Promise<void> | undefined {
  const watched = call.watchOutput?.(chunk);
  const taken = output.take(chunk);
  return watched ? watched.then(() => taken) : taken;
}

function timeLimit(seconds: number): number {
  if (seconds > 0) return seconds;
  throw new OrielError('BAD_INPUT', `The timeout ${seconds} is invalid: give seconds above 0, such as 120.`);
}

/**
 * Opens the working directory inside the roots. It stays open, so that the command starts in the checked directory even if
 * its path is replaced. The command itself may access anything.
 */
async function workingDirectory(typed: string | undefined, call: Call): Promise<OpenedDirectory> {
  const { access, signal } = call;
  const path = typed === undefined ? access.cwd : access.absolute(typed);
  const opened = await access.open(path, signal).catch(async (error: unknown) => {
    const { explainGone } = await import('./missing-path.ts');
    throw (await explainGone(call, error)) ?? (await missingDirectory(typed, error, call));
  });
  call.onEnd(() => opened.close());
  if (opened.is === 'directory') return opened;
  const parent = access.display(dirname(opened.path));
  const message = `cwd is a file: ${quote(access.display(opened.path))}. ${useDirectory(parent)}`;
  throw new OrielError('NOT_DIRECTORY', message, { next: parent });
}

/** The path by which the child process enters the directory; it has our descriptors until it executes the shell. */
function enteredBy({ fd, path }: OpenedDirectory): string {
  return hasDescriptorPaths() ? `/proc/self/fd/${fd}` : path;
}

async function missingDirectory(typed: string | undefined, error: unknown, call: Call): Promise<unknown> {
  if (!isOrielError(error)) return error;
  const { why, next = '.', code } = error;
  if (code === 'OUTSIDE_ROOT') return advised(code, why, useDirectory(next), { next, cause: error });
  if (typed === undefined) return error;
  if (error.code === 'NOT_DIRECTORY') return (await cwdThroughFile(typed, error, call)) ?? error;
  if (error.code !== 'NOT_FOUND') return error;
  const { nearPaths } = await import('./missing-path.ts');
  const near = await nearPaths(typed, call);
  const missing = `The working directory ${quote(typed)} does not exist.${didYouMean(near.map(quote))}`;
  const use = near[0] ?? '.';
  return new OrielError('NOT_FOUND', `${missing} ${useDirectory(use)}`, { next: use, cause: error });
}

async function cwdThroughFile(typed: string, cause: OrielError, call: Call): Promise<OrielError | undefined> {
  const { fileWithin, throughFile } = await import('./missing-path.ts');
  const file = await fileWithin(typed, call);
  if (file === undefined) return undefined;
  const parent = call.access.display(dirname(file));
  const why = throughFile(`The working directory ${quote(typed)}`, quote(call.access.display(file)));
  return advised('NOT_DIRECTORY', why, useDirectory(parent), { next: parent, cause });
}

const useDirectory = (path: string): string =>
  path === '.' ? 'Leave cwd out to run it in the working directory.' : `Use cwd ${quote(path)}.`;

/** The directory for named pipes. Without one the command runs with sockets instead of pipes. */
function privateDirectory({ session }: Call): string | undefined {
  try {
    return session.spills.directory;
  } catch {
    return undefined;
  }
}

function outputsOf({ streams, keep, snap, display }: RunRequest, call: Call): Output[] {
  const fit = fitOf(cutPolicy, outputDisplays[display], call.limits, call.settings.tokens);
  const { spills } = call.session;
  const names = streams === 'merged' ? (['output'] as const) : (['stdout', 'stderr'] as const);
  return names.map((name) => new Output({ name, keep, snap, fit, spills }));
}

/** Reports the last lines of the output at intervals, if there is new output. */
function reportProgress(outputs: readonly Output[], display: Display, call: Call): () => void {
  const began = performance.now();
  let reported = 0;
  const timer = setInterval(() => {
    const done = totalOf(outputs);
    if (done === reported) return;
    reported = done;
    const seconds = Math.round((performance.now() - began) / 1_000);
    const lines = outputs.flatMap((output) => output.glance());
    const tail = lines.map((line) => display.show(line)).join('');
    call.progress({ message: `running for ${seconds} s, ${done} bytes of output`, done, tail });
  }, REPORT);
  return () => clearInterval(timer);
}

function totalOf(outputs: readonly Output[]): number {
  return outputs.reduce((sum, output) => sum + output.bytes, 0);
}

/** Waits for the first of: the exit of the shell, the timeout, the caller's signal. */
async function firstOf(
  shell: Shell,
  timeout: number,
  signal: AbortSignal,
): Promise<Exit | 'timeout' | 'cancel'> {
  let cleanUp = (): void => undefined;
  const stopped = new Promise<'timeout' | 'cancel'>((resolve) => {
    const cancel = (): void => resolve('cancel');
    const stopTimer = startTimer(timeout * 1_000, () => resolve('timeout'));
    signal.addEventListener('abort', cancel, { once: true });
    cleanUp = () => {
      stopTimer();
      signal.removeEventListener('abort', cancel);
    };
    if (signal.aborted) cancel();
  });
  try {
    return await Promise.race([shell.exited, stopped]);
  } finally {
    cleanUp();
  }
}

/** Drains the pipes, then ends the remaining processes unless background processes may continue. */
async function endAll(shell: Shell, cause: Exit | 'timeout' | 'cancel', { settings }: Call): Promise<Ended> {
  if (typeof cause !== 'string') {
    await settle(shell);
    if (settings.run.background === 'keep') return { ended: 0, left: 0 };
  }
  const ended = await shell.end(GRACE[typeof cause === 'string' ? cause : 'background']);
  await settle(shell);
  return ended;
}

/** Waits until the pipes are drained, but only a short time if another process keeps them open. */
async function settle(shell: Shell): Promise<void> {
  const end = performance.now() + LATE.disk;
  do {
    if (await isDoneWithin(shell.drained, LATE.pipe)) return;
  } while (shell.paused && performance.now() < end);
}

function isDoneWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), ms);
    void work.then(() => {
      clearTimeout(timer);
      resolve(true);
    });
  });
}
