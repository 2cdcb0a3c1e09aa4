/** Creates the `Call` that every layer of the engine receives, and closes at its end everything that it opened. */

import { setImmediate } from 'node:timers/promises';
import { isOrielError, OrielError } from '../errors.ts';
import { claimsArchive } from '../formats/archive/detect.ts';
import { refuseStored, sourceFor } from '../formats/table.ts';
import { isWeb } from '../formats/web/detect.ts';
import { MAX_PAGE_WAIT_MS } from '../formats/web/limits.ts';
import { type Caller, onAbort, registerCaller, startDeadline, startTimer } from '../queues/caller.ts';
import { queues } from '../queues/queue-table.ts';
import type { QueueClaim, QueueSlot } from '../queues/queue.ts';
import { endsInCodeQuestion } from '../selector/selection.ts';
import type { FileAccess } from '../types/access.ts';
import type { Call, CallBounds, SourceKind } from '../types/call.ts';
import type { Limits, TextPolicy } from '../types/excerpt.ts';
import type { EngineRequest, RunRequest } from '../types/request.ts';
import type { Progress, Session } from '../types/session.ts';
import type { Settings } from '../types/settings.ts';
import type { TraceOrigin } from '../types/telemetry.ts';
import { explained, hostError, type OnError, report } from './unexpected.ts';

/** The state that all calls of one instance share. */
export interface Engine {
  readonly access: FileAccess;
  readonly session: Session;
  readonly settings: Settings;
  /** The default timeout of a call, in milliseconds; Infinity for no timeout. */
  readonly timeoutMs: number;
  readonly onError?: OnError | undefined;
  now(): number;
}

/** The request of one call with its limits. */
export interface CallOrder<R extends EngineRequest = EngineRequest> {
  readonly request: R;
  readonly limits: Limits;
  readonly policy: TextPolicy;
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /**
   * Receives the output of a command while it runs; the buffer is reused after the function returns. A returned promise is
   * backpressure: reading pauses until it resolves.
   */
  readonly onOutput?: (chunk: Uint8Array) => Promise<void> | undefined;
  /**
   * Identifies the caller (any object, compared by identity), because queues serve callers in turn. The instance when
   * absent.
   */
  readonly caller?: Caller | undefined;
  /** The name of the task of the call; the task of the session when absent. */
  readonly task?: string | undefined;
  /** The name of the client program, as it reports it. */
  readonly host?: string | undefined;
  /** The parent of the call in a trace; the active span when absent. */
  readonly trace?: TraceOrigin | undefined;
  /** See `Call`. */
  readonly isPart?: true | undefined;
}

export interface SizedCallOptions extends CallOptions {
  /** Settings instead of those of the engine. */
  readonly settings?: Settings | undefined;
}

export interface OpenCall {
  readonly call: Call;
  /**
   * Settles with the work, or rejects with the abort reason, without waiting for work that ignores the abort.
   */
  settle<T>(start: () => Promise<T>): Promise<T>;
  /** Closes everything that the call opened. */
  close(): Promise<void>;
}

/**
 * A command has its own timeout and answers a cancellation itself, with the output so far. The timeout and cancellation of
 * the call follow this many milliseconds later, in case that fails.
 */
const RUN_GRACE_MS = 10_000;

/** Starts the timeout of the call. Waiting for its slot does not count; `waitedMs` is only recorded. */
export function openCall(
  engine: Engine,
  { request, limits }: Pick<CallOrder, 'request' | 'limits'>,
  { signal, onProgress, onOutput, caller = engine, isPart, settings = engine.settings }: SizedCallOptions,
  tool?: string,
  waitedMs = 0,
): OpenCall {
  const timeoutMs = request.kind === 'run' ? runTimeout(request, engine.settings) : engine.timeoutMs;
  const deadline = performance.now() + timeoutMs;
  const graceMs = request.kind === 'run' ? RUN_GRACE_MS : 0;
  const cancellation = new CallCancellation({
    signal,
    timeoutMs,
    graceMs,
    advice: () => adviceAfterTimeout(request),
  });
  const cleanups = new CallCleanups(engine.onError, tool);
  const tell = (option: string, error: unknown): void =>
    report(engine.onError, hostError(option, error), tool);
  registerCaller(caller, cancellation.signal);
  /** The kinds of sources that the request may read; undefined for all. */
  const kinds = request.kind === 'lines' ? FILES : request.kind === 'read' ? request.kinds : undefined;

  const callWith = (own: CallCleanups, bounds: CallBounds): Call => {
    const made: Call = {
      ...shared,
      ...bounds,
      async open(subject) {
        const source = sourceFor(subject, kinds);
        if (source.format === 'file' || !claimsArchive(subject))
          await refuseStored(subject, made, source.format);
        return source.open(subject, made);
      },
      onEnd: (cleanup) => void own.add(cleanup),
      part(narrower = bounds) {
        const ofPart = new CallCleanups(engine.onError, tool);
        const forget = own.add(() => ofPart.runAll());
        return {
          call: callWith(ofPart, narrower),
          async end() {
            await ofPart.runAll();
            forget();
          },
        };
      },
    };
    return made;
  };
  const shared: Omit<Call, keyof CallBounds | 'open' | 'onEnd' | 'part'> = {
    limits,
    ...(isPart && { isPart }),
    settings,
    access: engine.access,
    session: engine.session,
    waitedMs,
    now: engine.now,
    progress(progress) {
      try {
        onProgress?.(progress);
      } catch (error) {
        // The call continues although its listener has failed.
        tell('onProgress', error);
      }
    },
    ...(onOutput && { watchOutput: untilItFails(onOutput, (error) => tell('onOutput', error)) }),
  };
  return {
    call: callWith(cleanups, { signal: cancellation.signal, deadline }),
    settle: (start) => cancellation.race(start),
    async close() {
      cancellation.close();
      if (cancellation.unfinished) cleanups.runAfter(cancellation.unfinished);
      else await cleanups.runAll();
    },
  };
}

/** Seconds that a command has, at most the maximum. */
export function commandTimeout({ timeout }: RunRequest, { run }: Settings): number {
  return Math.min(timeout ?? run.timeout, run.maxTimeout);
}

function runTimeout(request: RunRequest, settings: Settings): number {
  const seconds = commandTimeout(request, settings);
  // `run` rejects a timeout that is not positive.
  return (seconds > 0 ? seconds : 0) * 1000 + RUN_GRACE_MS;
}

/** Wraps the host's listener for output. After its first failure it is no longer called, and the command continues. */
function untilItFails(
  onOutput: NonNullable<CallOptions['onOutput']>,
  tell: (error: unknown) => void,
): NonNullable<Call['watchOutput']> {
  let failed = false;
  const fail = (error: unknown): void => {
    if (!failed) tell(error);
    failed = true;
  };
  return (chunk) => {
    if (failed) return undefined;
    try {
      return onOutput(chunk)?.catch(fail);
    } catch (error) {
      fail(error);
      return undefined;
    }
  };
}

const FILES: readonly SourceKind[] = ['file'];

// Chooses the queues in which a call waits for a slot before it begins.

/** The size of a large answer in bytes; larger answers occur only if a host raises the limits. */
const LARGE_ANSWER = 1 << 20;

/** Acquires the slot of a call. Commands have a queue of their own, because some take hours and must not block reading. */
export function takeSlot(
  engine: Engine,
  { request, limits }: Pick<CallOrder, 'request' | 'limits'>,
  { signal, caller = engine }: CallOptions,
): QueueSlot | Promise<QueueSlot> {
  const claim = { signal, caller };
  if (request.kind === 'run') return queues.commands.acquire(claim);
  if (request.kind === 'read' && isWeb(request.target)) return takePageSlot(claim);
  const isLarge = Math.max(limits.bytes, limits.windowMax) > LARGE_ANSWER;
  return isLarge ? takeLargeSlot(claim) : queues.calls.acquire(claim);
}

/** For a web page the wait counts towards its timeout, so that it is refused in time if other pages never arrive. */
function takePageSlot(claim: QueueClaim): QueueSlot | Promise<QueueSlot> {
  const own = claim.signal ?? new AbortController().signal;
  const late = (): Error => new OrielError('TIMEOUT', 'The page had no slot in time.');
  const { signal, stop } = startDeadline(own, MAX_PAGE_WAIT_MS, late);
  const slot = queues.calls.acquire({ ...claim, signal, timed: true });
  if (slot instanceof Promise) return slot.finally(stop);
  stop();
  return slot;
}

async function takeLargeSlot(claim: QueueClaim): Promise<QueueSlot> {
  const answer = await queues.answers.acquire(claim);
  try {
    const call = await queues.calls.acquire(claim);
    return {
      release() {
        call.release();
        answer.release();
      },
    };
  } catch (error) {
    answer.release();
    throw error;
  }
}

// The cancellation of a call: answers at its timeout, or when its caller cancels it, even if the work still runs.

/** The abort reason after the answer. Created once, because nobody needs its stack trace. */
const OVER = new Error('The call is over.');

interface CancellationOptions {
  /** The caller's signal. */
  readonly signal?: AbortSignal | undefined;
  /** Infinity for no timeout. */
  readonly timeoutMs: number;
  /** Milliseconds that the work may take to answer after it was cancelled; 0 for not waiting. */
  readonly graceMs: number;
  /** The sentence of the timeout error that says what to call instead. */
  readonly advice: () => string;
}

class CallCancellation {
  readonly #controller = new AbortController();
  /** Aborts when the caller cancels, at the timeout, and by `close`. */
  readonly signal: AbortSignal = this.#controller.signal;
  /** Work that still runs although its call was answered. */
  unfinished: Promise<unknown> | undefined;
  readonly #graceMs: number;
  readonly #stopTimer: () => void;
  #stopListening = (): void => undefined;
  #graceTimer: NodeJS.Timeout | undefined;
  #abandon: (reason: unknown) => void = () => undefined;

  constructor({ signal, timeoutMs, graceMs, advice }: CancellationOptions) {
    this.#graceMs = graceMs;
    this.#stopTimer = startTimer(timeoutMs, () => this.#abort(timedOut(timeoutMs, advice())));
    const cancel = (): void =>
      this.#abort(new OrielError('CANCELLED', 'The call was cancelled.', { cause: signal?.reason }));
    if (signal?.aborted) cancel();
    else if (signal) this.#stopListening = onAbort(signal, cancel);
  }

  /** Starts the work and settles with it, or rejects with the abort reason. Throws that reason if already aborted. */
  race<T>(start: () => Promise<T>): Promise<T> {
    if (this.#graceMs === 0) this.signal.throwIfAborted();
    const work = start();
    this.unfinished = work;
    return new Promise((resolve, reject) => {
      this.#abandon = reject;
      work.then(
        (result) => {
          this.unfinished = undefined;
          resolve(result);
        },
        (error: unknown) => {
          this.unfinished = undefined;
          // The abort reason is more informative than the error that a library throws when its signal aborts.
          reject(this.signal.aborted && !isOrielError(error) ? this.signal.reason : error);
        },
      );
    });
  }

  close(): void {
    this.#stopTimer();
    this.#stopListening();
    clearTimeout(this.#graceTimer);
    this.#controller.abort(OVER);
  }

  #abort(reason: OrielError): void {
    this.#controller.abort(reason);
    if (this.#graceMs === 0) this.#abandon(reason);
    else this.#graceTimer ??= setTimeout(() => this.#abandon(reason), this.#graceMs).unref();
  }
}

function timedOut(ms: number, advice: string): OrielError {
  return new OrielError('TIMEOUT', `The call took longer than ${ms / 1000} seconds and was ended. ${advice}`);
}

// The cleanups of a call. Each runs exactly once, also one that is added after the call has ended.

/** Cleanups that run before the event loop gets control again; most take some microseconds. */
const AT_ONCE = 256;

/** Milliseconds that cancelled work has to stop before its descriptors are closed. */
const LINGER_MS = 1_000;

type Cleanup = () => void | Promise<void>;

class CallCleanups {
  readonly #onError: OnError | undefined;
  readonly #tool: string | undefined;
  /** In the order in which they were added. */
  readonly #kept = new Set<{ readonly run: Cleanup }>();
  #over = false;

  /** `onError` receives the errors of cleanups, with the name of the called tool. */
  constructor(onError?: OnError, tool?: string) {
    this.#onError = onError;
    this.#tool = tool;
  }

  /**
   * Adds a cleanup. If the call has ended (cancelled work may still open something), it runs immediately. The returned function
   * removes the cleanup; call it when the resource was closed earlier.
   */
  add(cleanup: Cleanup): () => void {
    const kept = { run: cleanup };
    if (this.#over) void this.#run(cleanup);
    else this.#kept.add(kept);
    return () => void this.#kept.delete(kept);
  }

  /** Runs all cleanups in reverse order: last opened, first closed. */
  async runAll(): Promise<void> {
    this.#over = true;
    const all = [...this.#kept].toReversed();
    this.#kept.clear();
    for (const [i, { run }] of all.entries()) {
      if (i > 0 && i % AT_ONCE === 0) await setImmediate();
      await this.#run(run);
    }
  }

  /**
   * Runs the cleanups when cancelled `work` has ended or after `LINGER_MS`. The work reads until it notices the
   * cancellation, and the number of a closed descriptor may already be reused for another file.
   */
  runAfter(work: Promise<unknown>): void {
    const timer = setTimeout(() => void this.runAll(), LINGER_MS);
    timer.unref();
    const end = (): void => {
      clearTimeout(timer);
      void this.runAll();
    };
    work.then(end, end);
  }

  async #run(cleanup: Cleanup): Promise<void> {
    try {
      await cleanup();
    } catch (error) {
      // It leaks a resource of this process; the answer is not affected.
      report(this.#onError, explained(error), this.#tool);
    }
  }
}

// The advice in the error of a call that timed out.

const WINDOW = 'Use a smaller window, such as the byte window :@0+64K of a file.';
/** Tags of parsed files are cached, so the same call takes less time. */
const CODE =
  'Make the same call again, which continues with the files that are not parsed yet, or name a smaller directory.';
const SEARCH = 'Use a smaller directory, a glob that matches fewer files, or a literal pattern.';
const DIRECTORY = 'Use a smaller directory.';

const ADVICE: Readonly<Record<Exclude<EngineRequest['kind'], 'read'>, string>> = {
  lines: WINDOW,
  run: 'Use a longer timeout, or a command that ends sooner.',
  search: SEARCH,
  count: SEARCH,
  find: DIRECTORY,
  symbols: CODE,
  list: DIRECTORY,
};

export function adviceAfterTimeout(request: EngineRequest): string {
  if (request.kind !== 'read') return ADVICE[request.kind];
  const isCode = request.grammar === 'selectors' && endsInCodeQuestion(request.target);
  return isCode ? CODE : WINDOW;
}
