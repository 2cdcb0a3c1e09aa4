/** The calls that wait for one MCP server: what is large in its answers is reduced for the one that waits longest. */

import { callerOf, waitAs } from '../../queues/caller.ts';
import { convert } from '../web/convert-page.ts';

/** In place of an answer for which nobody waits any more. */
const NOTHING = Buffer.from('{"jsonrpc":"2.0","method":"notifications/message"}');

export class Waiting {
  readonly #signals = new Set<AbortSignal>();
  /** Aborted when nobody waits any more. */
  #over = new AbortController();

  async during<T>(signal: AbortSignal, ask: () => Promise<T>): Promise<T> {
    if (this.#signals.size === 0) this.#over = new AbortController();
    // Calls may share a signal, and each has to be counted.
    const own = AbortSignal.any([signal]);
    waitAs(callerOf(signal), own);
    this.#signals.add(own);
    try {
      return await ask();
    } finally {
      this.#signals.delete(own);
      if (this.#signals.size === 0) this.#over.abort();
    }
  }

  /** A message without what is not read of it. Undefined if it cannot be reduced. */
  async reduce(message: Uint8Array): Promise<Uint8Array | undefined> {
    const [first] = this.#signals;
    // A handshake is the connection's own.
    const { signal } = first ? this.#over : new AbortController();
    if (first) waitAs(callerOf(first), signal);
    try {
      const converted = await convert({ is: 'mcp', url: 'mcp:' }, message, signal);
      return converted?.reply.is === 'text' ? converted.body : undefined;
    } catch (error) {
      if (signal.aborted) return NOTHING;
      throw error;
    }
  }
}
