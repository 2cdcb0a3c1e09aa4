/**
 * Owns the one gate: every request passes it, with a signal, a deadline and limits, and leaves as a result or as an
 * OrielError. Whatever was opened on the way is closed when it does.
 */

import { isShortage } from '../access/failure.ts';
import { OrielError, isOrielError } from '../errors.ts';
import { type Caller, waitAs } from '../queues/caller.ts';
import type { Slot } from '../queues/queue.ts';
import { queues } from '../queues/table.ts';
import { sources } from '../sources/table.ts';
import { quote } from '../text/visible.ts';
import type { Access } from '../types/access.ts';
import type { Call, Progress } from '../types/call.ts';
import type { Limits } from '../types/limits.ts';
import type { TextPolicy } from '../types/policy.ts';
import type { Request } from '../types/request.ts';
import type { SourceKind, Subject } from '../types/resource.ts';
import type { Result } from '../types/result.ts';
import type { Session } from '../types/session.ts';
import type { Settings } from '../types/settings.ts';
import type { Source } from '../types/source.ts';
import { perform } from './perform.ts';
import { Releases } from './releases.ts';

export interface Engine {
  readonly access: Access;
  readonly session: Session;
  readonly settings: Settings;
  /** Milliseconds that a call may take which sets no limit of its own. */
  readonly timeoutMs: number;
  now(): number;
}

export interface Order {
  readonly request: Request;
  readonly limits: Limits;
  readonly policy: TextPolicy;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
  /** Whom it is for; the engine itself when absent. Calls of different callers are served in turn. */
  readonly caller?: Caller;
}

/**
 * A run has a time limit of its own and answers a cancel itself, with the output so far; the gate's come later and
 * only guard against its failure.
 */
const RUN_GRACE_MS = 10_000;

/** A longer one would fire at once. Source: setTimeout takes 32 bits. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Throws OrielError and nothing else. */
export async function pass(engine: Engine, order: Order): Promise<Result> {
  const releases = new Releases();
  try {
    const slot = slotFor(engine, order);
    // Most calls find one free: those do not wait, not even for a promise.
    const taken = slot instanceof Promise ? await slot : slot;
    // Given back when everything that the call has opened is closed.
    releases.add(() => taken.release());
  } catch (error) {
    throw order.signal?.aborted ? cancelled() : error;
  }
  return answer(engine, order, releases);
}

/** Commands have a queue of their own: some take hours, and reading goes on meanwhile. */
function slotFor(engine: Engine, { request, signal, caller = engine }: Order): Slot | Promise<Slot> {
  const queue = request.do === 'run' ? queues.commands : queues.calls;
  return queue.acquire({ signal, caller });
}

/** The time that a call may take begins here: what it waited for its slot is not part of it. */
async function answer(engine: Engine, order: Order, releases: Releases): Promise<Result> {
  const { request } = order;
  const timeoutMs = request.do === 'run' ? runTimeout(request.timeout, engine) : engine.timeoutMs;
  const deadline = performance.now() + timeoutMs;
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(timedOut(timeoutMs)), timeoutMs);
  const cancel = (): void => stop.abort(cancelled());
  if (order.signal?.aborted) cancel();
  order.signal?.addEventListener('abort', cancel, { once: true });
  waitAs(order.caller ?? engine, stop.signal);
  const call = callFor(engine, order, stop.signal, deadline, releases);
  let ended = false;
  const end = (): void => void (ended = true);
  const work = perform(request, call, order.policy);
  const settled = work.then(end, end);
  try {
    const patience = request.do === 'run' ? RUN_GRACE_MS : 0;
    return await Promise.race([work, aborted(stop.signal, patience)]);
  } catch (error) {
    throw worded(error, stop.signal);
  } finally {
    clearTimeout(timer);
    order.signal?.removeEventListener('abort', cancel);
    // Work that goes on after a time-out has nobody left to answer.
    stop.abort(new OrielError('CANCELLED', 'The call is over.'));
    if (ended) await releases.runAll();
    else releases.runAfter(settled);
  }
}

function callFor(
  engine: Engine,
  order: Order,
  signal: AbortSignal,
  deadline: number,
  releases: Releases,
): Call {
  const { access, session, settings, now } = engine;
  const call: Call = {
    signal,
    deadline,
    limits: order.limits,
    settings,
    access,
    session,
    now,
    progress(progress) {
      try {
        order.onProgress?.(progress);
      } catch {
        // A listener of the host that fails, fails alone.
      }
    },
    open: (subject) => sourceFor(subject, kindsOf(order.request)).open(subject, call),
    onEnd: (release) => releases.add(release),
  };
  return call;
}

function kindsOf(request: Request): readonly SourceKind[] | undefined {
  return request.do === 'read' ? request.kinds : undefined;
}

function sourceFor(subject: Subject, kinds: readonly SourceKind[] | undefined): Source {
  const source = sources.find((known) => (kinds?.includes(known.kind) ?? true) && known.claims(subject));
  if (source) return source;
  throw new OrielError('IS_DIRECTORY', `${quote(subject.typed)} is a directory, not a file.`);
}

/** Rejects `patience` ms after the abort. */
function aborted(signal: AbortSignal, patience: number): Promise<never> {
  return new Promise((_, reject) => {
    const fail = (): void => reject(signal.reason as Error);
    const abort = (): void => (patience > 0 ? void setTimeout(fail, patience).unref() : fail());
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
  });
}

function cancelled(): OrielError {
  return new OrielError('CANCELLED', 'The call was cancelled.');
}

function timedOut(ms: number): OrielError {
  return new OrielError(
    'TIMEOUT',
    `The call took longer than ${ms / 1000} seconds and was ended. Use a smaller window, such as the byte window :@0+64K of a file.`,
  );
}

/** Whatever went wrong below, as one sentence with a stable code; never a stack, never a path outside. */
function worded(error: unknown, signal: AbortSignal): OrielError {
  if (isOrielError(error)) return error;
  if (signal.aborted && isOrielError(signal.reason)) return signal.reason;
  if (isShortage(error)) return new OrielError('BUSY', 'Too many files are open. Call again.');
  return new OrielError(
    'INTERNAL',
    'Something went wrong inside oriel; the call was ended. Try another window or path.',
  );
}

/** A time limit that is none is for the run to refuse: here it must only not confuse the clock. */
function runTimeout(asked: number | undefined, { settings }: Engine): number {
  const seconds = asked ?? settings.run.timeout;
  return Math.min((seconds > 0 ? seconds : 0) * 1000 + RUN_GRACE_MS, LONGEST_TIMER_MS);
}
