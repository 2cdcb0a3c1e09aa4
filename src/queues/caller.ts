/** Whom a call works for. Queues serve callers in turn, so that many calls of one do not block the others. */

import { clocksOf, runOn } from './clock.ts';

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
export type Origin = string | Caller;

const origins = new WeakMap<Caller, string>();

/** Registers the address of `caller`. All callers at one address together get one share of a queue. */
export function comesFrom(caller: Caller, address: string): void {
  origins.set(caller, address);
}

export function originOf(caller: Caller): Origin {
  return origins.get(caller) ?? caller;
}

/** Callers by the signal of their call: every function that waits in a queue already receives that signal. */
const callers = new WeakMap<AbortSignal, Caller>();

/** Registers `caller` for all work that waits with `signal`. */
export function waitAs(caller: Caller, signal: AbortSignal): void {
  callers.set(signal, caller);
}

/** The caller registered for `signal`; an unregistered signal counts as a caller of its own. */
export function callerOf(signal: AbortSignal): Caller {
  return callers.get(signal) ?? signal;
}

/** A signal that aborts when the first of the given ones does. It has the caller of `signal` and the clocks of all. */
export function withOthers(signal: AbortSignal, ...others: readonly AbortSignal[]): AbortSignal {
  const any = AbortSignal.any([signal, ...others]);
  waitAs(callerOf(signal), any);
  runOn(any, [signal, ...others].flatMap(clocksOf));
  return any;
}
