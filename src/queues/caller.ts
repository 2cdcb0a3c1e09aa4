/** Whom a call works for. Queues serve callers in turn, so that many calls of one do not block the others. */

import { setMaxListeners } from 'node:events';
import type { Progress } from '../types/session.ts';

/**
 * Compared by identity and never looked into: an instance of the library, an MCP session, an HTTP client.
 */
export type Caller = object;

/** The name of a caller that is the same on every replica of a server. */
export interface CallerName {
  readonly name: string;
  /** The name was derived from an address and a program, so two callers may share it. */
  readonly isGuess: boolean;
}

const names = new WeakMap<Caller, CallerName>();

/** Registers the name under which other replicas know `caller`. */
export function nameCaller(caller: Caller, name: CallerName): void {
  names.set(caller, name);
}

/** The registered name; undefined for a caller that only this process knows. */
export function callerName(caller: Caller): CallerName | undefined {
  return names.get(caller);
}

/** The origin of a caller: its network address, or the caller itself when no address was registered. */
export type CallerOrigin = string | Caller;

const origins = new WeakMap<Caller, string>();

/** Registers the address of `caller`. All callers at one address together get one share of unsent bytes and bodies. */
export function registerCallerAddress(caller: Caller, address: string): void {
  origins.set(caller, address);
}

export function callerOrigin(caller: Caller): CallerOrigin {
  return origins.get(caller) ?? caller;
}

/** Callers by the signal of their call: every function that waits in a queue already receives that signal. */
const callers = new WeakMap<AbortSignal, Caller>();

/** Registers `caller` for all work that waits with `signal`. */
export function registerCaller(caller: Caller, signal: AbortSignal): void {
  callers.set(signal, caller);
}

/** The caller registered for `signal`; an unregistered signal counts as a caller of its own. */
export function callerOf(signal: AbortSignal): Caller {
  return callers.get(signal) ?? signal;
}

/** A signal that aborts when the first of the given ones does. It has the caller of `signal` and the clocks of all. */
export function combineSignals(signal: AbortSignal, ...others: readonly AbortSignal[]): AbortSignal {
  const any = AbortSignal.any([signal, ...others]);
  registerCaller(callerOf(signal), any);
  registerClocks(any, [signal, ...others].flatMap(clocksOf));
  return any;
}

// A deadline for work that may wait in queues. Waiting time counts only if the claim is `timed`.

export interface WorkDeadline {
  /** Aborts with the signal it was made from, and at the deadline. It has the same caller as that signal. */
  readonly signal: AbortSignal;
  /** Stops the clock. Call it when the work is done. */
  stop(): void;
}

const reasons = new WeakSet<object>();

/** Whether `reason` is that of a deadline that has passed. */
export function isDeadlineReason(reason: unknown): boolean {
  return typeof reason === 'object' && reason !== null && reasons.has(reason);
}

/** A deadline `ms` milliseconds from now. `late` creates the abort reason. */
export function startDeadline(signal: AbortSignal, ms: number, late: () => Error): WorkDeadline {
  const over = new AbortController();
  const clock = new TimeoutClock(ms, () => {
    const reason = late();
    reasons.add(reason);
    over.abort(reason);
  });
  registerClocks(over.signal, [clock]);
  return { signal: combineSignals(signal, over.signal), stop: () => clock.stop() };
}

// The timeout clock of work, found by its signal. It is paused while the work waits in a queue.

class TimeoutClock {
  readonly #act: () => void;
  #left: number;
  #began = 0;
  #timer: NodeJS.Timeout | undefined;
  #pauses = 0;
  #isOver = false;

  /** Calls `act` after `ms` milliseconds in which the clock was not paused. */
  constructor(ms: number, act: () => void) {
    this.#left = ms;
    this.#act = act;
    this.#run();
  }

  #run(): void {
    this.#began = performance.now();
    this.#timer = setTimeout(this.#act, this.#left);
  }

  /** Pauses the clock; it continues when the returned functions of all pauses were called. */
  pause(): () => void {
    if (this.#pauses === 0) {
      clearTimeout(this.#timer);
      this.#left -= performance.now() - this.#began;
    }
    this.#pauses += 1;
    let isPaused = true;
    return () => {
      if (!isPaused) return;
      isPaused = false;
      this.#pauses -= 1;
      if (this.#pauses === 0 && !this.#isOver) this.#run();
    };
  }

  stop(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }
}

const clocks = new WeakMap<AbortSignal, readonly TimeoutClock[]>();

/** The clocks that can abort `signal`, directly or through a signal that it was combined from. */
function clocksOf(signal: AbortSignal): readonly TimeoutClock[] {
  return clocks.get(signal) ?? [];
}

function registerClocks(signal: AbortSignal, own: readonly TimeoutClock[]): void {
  if (own.length > 0) clocks.set(signal, own);
}

/** Pauses all clocks of `signal` until the returned function is called. */
export function pauseClocks(signal: AbortSignal | undefined): () => void {
  const resumes = signal ? clocksOf(signal).map((clock) => clock.pause()) : [];
  return () => {
    for (const resume of resumes) resume();
  };
}

/** Runs `act` once when `signal` aborts. The returned function removes it. Node does not warn about many listeners. */
export function onAbort(signal: AbortSignal, act: () => void): () => void {
  setMaxListeners(0, signal);
  const own = (): void => act();
  signal.addEventListener('abort', own, { once: true });
  return () => signal.removeEventListener('abort', own);
}

/** The longest timer of `setTimeout`, which fires a longer one immediately. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Calls `act` after `ms` milliseconds (24 days at most), never for `Infinity`. Returns a function that clears the timer. */
export function startTimer(ms: number, act: () => void): () => void {
  if (ms === Number.POSITIVE_INFINITY) return () => undefined;
  const timer = setTimeout(act, Math.min(ms, MAX_TIMER_MS));
  return () => clearTimeout(timer);
}

/** Resolves when `work` does, or after `ms` milliseconds. Rejects with its error. */
export async function within(ms: number, work: Promise<unknown>): Promise<void> {
  let clear: () => void = () => undefined;
  const late = new Promise<void>((resolve) => (clear = startTimer(ms, resolve)));
  await Promise.race([work, late]).finally(clear);
}

// Reports progress of long work once a second.

/** Reports until `work` is done. `doing`: `"converting"` → "converting, 3 s". */
export async function withProgress<T>(
  waiting: { progress(progress: Progress): void },
  doing: string,
  work: () => Promise<T>,
): Promise<T> {
  const start = performance.now();
  const report = (): void => {
    const seconds = Math.round((performance.now() - start) / 1000);
    waiting.progress({ message: `${doing}, ${seconds} s` });
  };
  const timer = setInterval(report, 1000);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
