/** Whom a call works for. Queues serve callers in turn, so that many calls of one do not block the others. */

import { clocksOf, runOn } from './clock.ts';

/**
 * Compared by identity and never looked into: an instance of the library, an MCP session, an HTTP client.
 */
export type Caller = object;

/** What a caller is called on every replica of a server. */
export interface CallerName {
  readonly name: string;
  /** It was made of an address and a program: two callers may have the same one. */
  readonly isGuess: boolean;
}

const names = new WeakMap<Caller, CallerName>();

/** From now on `caller` is known by that name beyond this process. */
export function nameCaller(caller: Caller, name: CallerName): void {
  names.set(caller, name);
}

/** Undefined for a caller of this process alone. */
export function callerName(caller: Caller): CallerName | undefined {
  return names.get(caller);
}

/** Where callers come from: a network address, or a caller that comes from nowhere else. */
export type Origin = string | Caller;

const origins = new WeakMap<Caller, string>();

/** From now on `caller` is served as one of those at that address, however many names there are. */
export function comesFrom(caller: Caller, address: string): void {
  origins.set(caller, address);
}

export function originOf(caller: Caller): Origin {
  return origins.get(caller) ?? caller;
}

/** Every place that waits gets the call's signal, so the caller is looked up by it. */
const callers = new WeakMap<AbortSignal, Caller>();

/** From now on work that waits with `signal` counts as that of `caller`. */
export function waitAs(caller: Caller, signal: AbortSignal): void {
  callers.set(signal, caller);
}

/** The caller of a signal; a signal without one stands for a separate caller. */
export function callerOf(signal: AbortSignal): Caller {
  return callers.get(signal) ?? signal;
}

/** A signal that is aborted with the first of them. Work that waits with it counts as that of the caller of `signal`, and has the time of all. */
export function withOthers(signal: AbortSignal, ...others: readonly AbortSignal[]): AbortSignal {
  const any = AbortSignal.any([signal, ...others]);
  waitAs(callerOf(signal), any);
  runOn(any, [signal, ...others].flatMap(clocksOf));
  return any;
}
