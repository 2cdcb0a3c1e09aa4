/** Messages to an MCP server that were not written to its pipe yet. A request that is cancelled meanwhile is never sent. */

import type { Writable } from 'node:stream';

/** Maximum bytes that are buffered for a server that does not read. */
const MOST_UNSENT = 1 << 20;

export class Unsent {
  readonly #input: Writable;
  /** By the id of a request; other messages by themselves. */
  readonly #messages = new Map<unknown, Buffer>();
  #bytes = 0;

  constructor(input: Writable) {
    this.#input = input;
    input.on('drain', () => this.#send());
  }

  get isFull(): boolean {
    return this.#bytes >= MOST_UNSENT;
  }

  add(message: Buffer, id: unknown = message): void {
    this.#messages.set(id, message);
    this.#bytes += message.length;
    this.#send();
  }

  /** Removes a request. Returns whether it was not sent yet. */
  remove(id: unknown): boolean {
    this.#bytes -= this.#messages.get(id)?.length ?? 0;
    return this.#messages.delete(id);
  }

  #send(): void {
    for (const [id, message] of this.#messages) {
      if (this.#input.writableNeedDrain) return;
      this.remove(id);
      this.#input.write(message);
    }
  }
}
