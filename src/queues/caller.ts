/** Whom a call works for. Queues serve callers in turn, so that many calls of one do not hold up the others. */

/**
 * Compared by identity and never looked into: an instance of the library, an MCP session, an HTTP client.
 */
export type Caller = object;

/** Every place that waits gets the call's signal, so the caller is looked up by it. */
const callers = new WeakMap<AbortSignal, Caller>();

/** From now on work that waits with `signal` counts as that of `caller`. */
export function waitAs(caller: Caller, signal: AbortSignal): void {
  callers.set(signal, caller);
}

/** The caller of a signal; a signal without one stands for a caller of its own. */
export function callerOf(signal: AbortSignal): Caller {
  return callers.get(signal) ?? signal;
}
