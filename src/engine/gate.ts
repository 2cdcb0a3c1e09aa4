/** The frame of a call: cancellation, deadline, progress, and the cleanup of whatever was opened on the way. */

import { startTimer } from '../access/timer.ts';
import { isOrielError, OrielError } from '../errors.ts';
import { type Caller, waitAs } from '../queues/caller.ts';
import { onAbort } from '../queues/on-abort.ts';
import type { Claim, Slot } from '../queues/queue.ts';
import { queues } from '../queues/table.ts';
import { sourceFor } from '../sources/table.ts';
import type { Access } from '../types/access.ts';
import type { Call } from '../types/call.ts';
import type { Progress } from '../types/progress.ts';
import type { Limits } from '../types/limits.ts';
import type { TextPolicy } from '../types/policy.ts';
import type { Request } from '../types/request.ts';
import type { SourceKind } from '../types/resource.ts';
import type { Session } from '../types/session.ts';
import type { Settings } from '../types/settings.ts';
import type { TraceOrigin } from '../types/trace.ts';
import { Cleanups } from './cleanups.ts';
import { hostError, type OnError, report } from './unexpected.ts';

/** What all calls of one instance share. */
export interface Engine {
  readonly access: Access;
  readonly session: Session;
  readonly settings: Settings;
  /** Milliseconds that a call may take which sets no timeout of its own; Infinity for no limit. */
  readonly timeoutMs: number;
  readonly onError?: OnError;
  now(): number;
}

/** What one call asks of the engine. */
export interface Order<R extends Request = Request> {
  readonly request: R;
  readonly limits: Limits;
  readonly policy: TextPolicy;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
  /** Receives the output of a command as it comes (bytes that are reused at once). A promise asks for backpressure. */
  readonly onOutput?: (chunk: Uint8Array) => Promise<void> | undefined;
  /**
   * Whom the call is for, as any object: where calls wait, those of different callers are served in turn. Calls
   * without one are those of the instance.
   */
  readonly caller?: Caller;
  /** The task that the call belongs to, by any name; that of the session when absent. */
  readonly task?: string | undefined;
  /** The program that asks, as it calls itself. */
  readonly host?: string | undefined;
  /** What the call belongs to in a trace; the span that is active when absent. */
  readonly trace?: TraceOrigin | undefined;
}

export interface OpenCall {
  readonly call: Call;
  /** Ends with the work, or with the reason of the abort: the call does not wait for work that goes on all the same. */
  settle<T>(start: () => Promise<T>): Promise<T>;
  /** Closes what the call opened. */
  close(): Promise<void>;
}

/**
 * A run has a timeout of its own and answers a cancel itself, with the output so far; those of the gate come later and
 * only guard against its failure.
 */
const RUN_GRACE_MS = 10_000;

/** Made once: what still runs after the answer has nobody to read a stack. */
const OVER = new OrielError('CANCELLED', 'The call is over.');

/** Bytes; only a host that raises the limits has answers that may be larger. */
const LARGE_ANSWER = 1 << 20;

/** Commands have a queue of their own: some take hours, and reading goes on meanwhile. */
export function takeSlot(
  engine: Engine,
  { request, limits }: Pick<Order, 'request' | 'limits'>,
  { signal, caller = engine }: CallOptions,
): Slot | Promise<Slot> {
  const claim = { signal, caller };
  if (request.do === 'run') return queues.commands.acquire(claim);
  const isLarge = Math.max(limits.bytes, limits.windowMax) > LARGE_ANSWER;
  return isLarge ? takeLargeSlot(claim) : queues.calls.acquire(claim);
}

async function takeLargeSlot(claim: Claim): Promise<Slot> {
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

/** The time that a call may take begins here: what it waited for its slot is not part of it. */
export function openCall(
  engine: Engine,
  { request, limits }: Pick<Order, 'request' | 'limits'>,
  { signal, onProgress, onOutput, caller = engine }: CallOptions,
  tool?: string,
): OpenCall {
  const graceMs = request.do === 'run' ? RUN_GRACE_MS : 0;
  const timeoutMs =
    request.do === 'run'
      ? secondsOf(request.timeout ?? engine.settings.run.timeout) * 1000 + graceMs
      : engine.timeoutMs;
  const deadline = performance.now() + timeoutMs;
  const controller = new AbortController();
  const cleanups = new Cleanups(engine.onError, tool);
  let pending = true;
  let settled: Promise<unknown> | undefined;
  let abandon: (reason: unknown) => void = () => undefined;

  const abort = (reason: OrielError): void => {
    controller.abort(reason);
    if (graceMs === 0) abandon(reason);
    else setTimeout(() => abandon(reason), graceMs).unref();
  };
  const cancel = (): void =>
    abort(new OrielError('CANCELLED', 'The call was cancelled.', { cause: signal?.reason }));
  const stopTimer = startTimer(timeoutMs, () => abort(timedOut(timeoutMs)));
  let forget = (): void => undefined;
  if (signal?.aborted) cancel();
  else if (signal) forget = onAbort(signal, cancel);
  waitAs(caller, controller.signal);

  const call: Call = {
    signal: controller.signal,
    deadline,
    limits,
    settings: engine.settings,
    access: engine.access,
    session: engine.session,
    now: engine.now,
    progress(progress) {
      try {
        onProgress?.(progress);
      } catch (error) {
        // The call can do without its listener.
        report(engine.onError, hostError('onProgress', error), tool);
      }
    },
    ...(onOutput && { watchOutput: watcher(onOutput, (error) => report(engine.onError, error, tool)) }),
    open: (subject) => sourceFor(subject, kindsOf(request)).open(subject, call),
    onEnd: (cleanup) => cleanups.add(cleanup),
  };
  return {
    call,
    settle(start) {
      if (graceMs === 0) controller.signal.throwIfAborted();
      const work = start();
      settled = work;
      return new Promise((resolve, reject) => {
        abandon = reject;
        work.then(
          (result) => {
            pending = false;
            resolve(result);
          },
          (error: unknown) => {
            pending = false;
            // What a library throws when its signal aborts says less than the reason.
            reject(controller.signal.aborted && !isOrielError(error) ? controller.signal.reason : error);
          },
        );
      });
    },
    async close() {
      stopTimer();
      forget();
      controller.abort(OVER);
      if (pending && settled) cleanups.runAfter(settled);
      else await cleanups.runAll();
    },
  };
}

/** The host's listener for output. One that fails is told to the host and called no more: the command goes on. */
function watcher(
  onOutput: NonNullable<CallOptions['onOutput']>,
  tell: (error: OrielError) => void,
): NonNullable<Call['watchOutput']> {
  let failed = false;
  const fail = (error: unknown): void => {
    if (!failed) tell(hostError('onOutput', error));
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

function kindsOf(request: Request): readonly SourceKind[] | undefined {
  if (request.do === 'lines') return FILES;
  return request.do === 'read' ? request.kinds : undefined;
}

/** An invalid timeout is for the run to refuse. */
function secondsOf(seconds: number): number {
  return seconds > 0 ? seconds : 0;
}

function timedOut(ms: number): OrielError {
  return new OrielError(
    'TIMEOUT',
    `The call took longer than ${ms / 1000} seconds and was ended. Use a smaller window, such as the byte window :@0+64K of a file.`,
  );
}
