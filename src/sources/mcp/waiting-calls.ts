/** The calls that wait for one MCP server. Large replies are reduced in the name of the call that has waited longest. */

import { callerOf, waitAs } from '../../queues/caller.ts';
import { convert } from '../web/convert-page.ts';

/** Replaces a reply that no call waits for any more. */
const NOTHING = Buffer.from('{"jsonrpc":"2.0","method":"notifications/message"}');

export class WaitingCalls {
  readonly #signals = new Set<AbortSignal>();
  /** Aborts when no call waits any more. */
  #over = new AbortController();

  async during<T>(signal: AbortSignal, ask: () => Promise<T>): Promise<T> {
    if (this.#signals.size === 0) this.#over = new AbortController();
    // A new signal, because calls may share one and each must be counted.
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

  /** Reduces a message to the used fields; undefined if that failed. */
  async reduce(message: Uint8Array): Promise<Uint8Array | undefined> {
    const [first] = this.#signals;
    // During the handshake of the connection no call waits.
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
