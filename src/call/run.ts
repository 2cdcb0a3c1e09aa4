/** Runs a command: handles its timeout, its end for any reason, and the shown part of its output. */

import { dirname } from 'node:path';
import { advised, isOrielError, OrielError } from '../errors.ts';
import { hasDescriptorPaths } from '../files/descriptors.ts';
import { type RunningShell, type ShellExit, startShell } from '../process/command.ts';
import type { EndedProcesses } from '../process/process-tree.ts';
import { startTimer } from '../queues/caller.ts';
import { outputDisplays } from '../render/display.ts';
import { decode, utf8 } from '../text/encoding.ts';
import { type FoldedLines, foldedLines } from '../text/fold.ts';
import { type AnswerFit, cutPolicy, fitOf } from '../text/limits.ts';
import { didYouMean } from '../text/near.ts';
import { foldedTo, OutputEnds, outputExcerpt } from '../text/output.ts';
import { looksBinary } from '../text/terminal.ts';
import { quote } from '../text/visible.ts';
import type { OpenedDirectory } from '../types/access.ts';
import type { Call } from '../types/call.ts';
import type { Excerpt, Line, LineDisplay } from '../types/excerpt.ts';
import type { KeptEnd, RunRequest } from '../types/request.ts';
import type { RunResult, RunStream } from '../types/result.ts';
import type { SpilledOutput, SpillSink, SpillStore } from '../types/session.ts';
import { commandTimeout } from './open-call.ts';

/** Milliseconds between SIGTERM and SIGKILL for the process tree, by the reason for ending it. */
const GRACE = { timeout: 1_000, cancel: 200, background: 50 };

/**
 * Milliseconds to wait for more output after the shell has ended while another process holds its pipe open, and the longer
 * limit while a slow disk delays reading.
 */
const LATE = { pipe: 150, disk: 10_000 };

/** The result for a shell that did not end after SIGKILL. */
const UNENDED: ShellExit = {};

/** The interval between two progress reports, in ms. */
const REPORT = 300;

/**
 * Runs `request.command` and returns how it ended and the shown part of its output. A timeout, a signal, a cancellation
 * and a failing command are results, not errors. Throws OrielError if the command could not be started: `BAD_INPUT`,
 * `NOT_FOUND`, `NOT_DIRECTORY`, `OUTSIDE_ROOT`, …
 */
export async function run(request: RunRequest, call: Call): Promise<RunResult> {
  const timeout = timeLimit(commandTimeout(request, call.settings));
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
      kind: 'run',
      exitCode: exit.code,
      signal: exit.signal,
      timedOut: cause === 'timeout',
      cancelled: cause === 'cancel',
      timeout,
      capped: request.timeout !== undefined && request.timeout > timeout ? request.timeout : undefined,
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
function takenBy(output: CommandOutput, chunk: Uint8Array, call: Call): Promise<void> | undefined {
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
    const { explainGone } = await import('../target/missing-path.ts');
    throw (await explainGone(call, error)) ?? (await missingDirectory(typed, error, call));
  });
  call.onEnd(() => opened.close());
  if (opened.kind === 'directory') return opened;
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
  const { nearPaths } = await import('../target/missing-path.ts');
  const near = await nearPaths(typed, call);
  const missing = `The working directory ${quote(typed)} does not exist.${didYouMean(near.map(quote))}`;
  const use = near[0] ?? '.';
  return new OrielError('NOT_FOUND', `${missing} ${useDirectory(use)}`, { next: use, cause: error });
}

async function cwdThroughFile(typed: string, cause: OrielError, call: Call): Promise<OrielError | undefined> {
  const { fileWithin, throughFile } = await import('../target/missing-path.ts');
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

function outputsOf(request: RunRequest, call: Call): CommandOutput[] {
  const { streams, keep, snap, display, command } = request;
  const fit = fitOf(cutPolicy, outputDisplays[display], call.limits, call.settings.tokens);
  const { spills } = call.session;
  const names = streams === 'merged' ? (['output'] as const) : (['stdout', 'stderr'] as const);
  const { run, schemes } = call.settings;
  const isFolded = request.folds && run.fold && schemes['artifact'] !== false;
  const folds = isFolded ? foldedLines(command) : undefined;
  return names.map((name) => new CommandOutput({ name, keep, snap, fit, spills, folds }));
}

/** Reports the last lines of the output at intervals, if there is new output. */
function reportProgress(outputs: readonly CommandOutput[], display: LineDisplay, call: Call): () => void {
  const began = performance.now();
  let reported = 0;
  const timer = setInterval(() => {
    const done = outputs.reduce((sum, output) => sum + output.bytes, 0);
    if (done === reported) return;
    reported = done;
    const seconds = Math.round((performance.now() - began) / 1_000);
    const lines = outputs.flatMap((output) => output.glance());
    const tail = lines.map((line) => display.show(line)).join('');
    call.progress({ message: `running for ${seconds} s, ${done} bytes of output`, done, tail });
  }, REPORT);
  return () => clearInterval(timer);
}

/** Waits for the first of: the exit of the shell, the timeout, the caller's signal. */
async function firstOf(
  shell: RunningShell,
  timeout: number,
  signal: AbortSignal,
): Promise<ShellExit | 'timeout' | 'cancel'> {
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
async function endAll(
  shell: RunningShell,
  cause: ShellExit | 'timeout' | 'cancel',
  { settings }: Call,
): Promise<EndedProcesses> {
  if (typeof cause !== 'string') {
    await settle(shell);
    if (settings.run.background === 'keep') return { ended: 0, left: 0 };
  }
  const ended = await shell.end(GRACE[typeof cause === 'string' ? cause : 'background']);
  await settle(shell);
  return ended;
}

/** Waits until the pipes are drained, but only a short time if another process keeps them open. */
async function settle(shell: RunningShell): Promise<void> {
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

// One output stream of a running command: counts it, keeps its first and last part, and spills it above a limit.

/**
 * The least bytes of the end that are kept in memory. It is more than is shown, because escape sequences and redrawn lines
 * take bytes that are not shown.
 */
const REMEMBERED = 1 << 20;

/** Bytes of the output that are examined to detect binary data, and to find the last lines for a progress report. */
const SAMPLE = 64 << 10;

/** The limits of a progress report. */
const GLANCE = { lines: 20, bytes: 4 << 10, tokens: Number.POSITIVE_INFINITY };

interface OutputOptions {
  readonly name: RunStream['name'];
  readonly keep: KeptEnd;
  readonly snap: 'line' | 'char';
  readonly fit: AnswerFit;
  readonly folds?: FoldedLines | undefined;
  readonly spills: SpillStore;
}

class CommandOutput {
  readonly #options: OutputOptions;
  readonly #ends: OutputEnds;
  #spill: SpillSink | undefined;
  #unkept: OrielError | undefined;

  constructor(options: OutputOptions) {
    this.#options = options;
    const remembered = Math.max(REMEMBERED, options.fit.limits.bytes * 4);
    this.#ends = new OutputEnds({ head: options.keep === 'tail' ? 0 : remembered, tail: remembered });
  }

  /** Bytes so far. */
  get bytes(): number {
    return this.#ends.bytes;
  }

  /** Takes a chunk; the caller may reuse the buffer immediately. A returned promise is backpressure: wait for it before the next. */
  take(chunk: Uint8Array): Promise<void> | undefined {
    if (!this.#spill && this.#isOverWith(chunk)) this.#spill = this.#beginSpill();
    this.#ends.push(chunk);
    return this.#spill?.write(chunk);
  }

  /** The last lines so far, for a progress report. */
  glance(): readonly Line[] {
    const { fit } = this.#options;
    const { bytes, lines, lastLine, head } = this.#ends;
    const output = { bytes, lines, lastLine, head, tail: () => this.#ends.tail(SAMPLE) };
    const small = { ...fit, limits: { ...fit.limits, ...GLANCE } };
    return outputExcerpt(output, 'tail', small).parts.flat();
  }

  /**
   * The result of the stream. An output that is not shown in full is spilled, even if only its escapes made it too long.
   * Where that fails, nothing is folded.
   */
  async finish(): Promise<RunStream> {
    const { name, keep, fit, snap, folds } = this.#options;
    const folded = outputExcerpt(this.#ends, keep, fit, { snap, folds });
    const binary = this.#isBinary();
    const hasFolds = folded.parts.flat().some((line) => line.folded);
    if (folded.cutBy || hasFolds || binary) this.#spill ??= this.#beginSpill();
    const spill = await this.#spill?.finish().catch((error: unknown) => this.#giveUp(error));
    const excerpt = hasFolds ? this.#foldedTo(spill, folded) : folded;
    const truncated = excerpt.cutBy !== undefined;
    const unkept = truncated || binary ? this.#unkept : undefined;
    return {
      name,
      excerpt,
      bytes: this.#ends.bytes,
      lines: this.#ends.lines,
      truncated,
      binary,
      spill,
      unkept: unkept ? { code: unkept.code, message: unkept.message } : undefined,
    };
  }

  #foldedTo(kept: SpilledOutput | undefined, folded: Excerpt): Excerpt {
    const { keep, fit, snap } = this.#options;
    const isWhole = kept && !kept.capped;
    return isWhole ? foldedTo(kept.url, folded) : outputExcerpt(this.#ends, keep, fit, { snap });
  }

  #isOverWith(chunk: Uint8Array): boolean {
    const { limits } = this.#options.fit;
    return this.#ends.bytes + chunk.length > limits.bytes || this.#ends.newlines > limits.lines;
  }

  /** Begins a spill. All output so far is still in memory, because it was below the limit. */
  #beginSpill(): SpillSink | undefined {
    if (this.#unkept) return undefined;
    try {
      const spill = this.#options.spills.create();
      void spill.write(this.#ends.tail().bytes);
      return spill;
    } catch (error) {
      return this.#giveUp(error);
    }
  }

  /** Records why the output cannot be kept, such as a full or read-only disk. The command continues. */
  #giveUp(error: unknown): undefined {
    if (!isOrielError(error)) throw error;
    this.#unkept = error;
    return undefined;
  }

  #isBinary(): boolean {
    const sample =
      this.#options.keep === 'head' ? this.#ends.head.subarray(0, SAMPLE) : this.#ends.tail(SAMPLE).bytes;
    return looksBinary(sample, decode(sample, utf8).invalid);
  }
}

// The environment of a command: that of the host (all or an allow-list) plus settings that prevent interactive prompts.

/** Settings for non-interactive use: no pager, no full-screen editor, no password prompt. */
const UNATTENDED: Readonly<Record<string, string>> = {
  TERM: 'dumb',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  MANPAGER: 'cat',
  SYSTEMD_PAGER: 'cat',
  GIT_TERMINAL_PROMPT: '0',
  DEBIAN_FRONTEND: 'noninteractive',
};

/** Variables with oriel's own tokens or their locations; no command needs them. */
const SECRET = /^ORIEL_TOKEN/;

/**
 * The variables for a command: those of `host` except our own tokens, or only those that `allow` names (`LC_*` matches a
 * prefix), and always the settings for non-interactive use.
 */
function commandEnvironment(host: NodeJS.ProcessEnv, allow?: readonly string[]): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(host)) {
    if (
      value !== undefined &&
      !SECRET.test(name) &&
      (!allow || allow.some((pattern) => matches(name, pattern)))
    )
      env[name] = value;
  }
  return { ...env, ...UNATTENDED };
}

function matches(name: string, pattern: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}
