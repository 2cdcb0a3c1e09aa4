/** An HTTP request and its reply, as the routes see them. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { OrielError } from '../../errors.ts';
import type { Caller } from '../../queues/caller.ts';
import type { Outlet } from '../outbox.ts';
import { clientOf } from './client-identity.ts';

/** The complete body, or a function that writes it. */
export type Body = string | Uint8Array | ((outlet: Outlet) => Promise<void>);

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Empty when absent. */
  readonly body?: Body;
  /** To whom unsent bytes are charged, if not to the client of the request: an MCP session. */
  readonly caller?: Caller;
}

export class Exchange {
  readonly incoming: IncomingMessage;
  /** The path of the request target, not decoded. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly #outgoing: ServerResponse;
  #stop: AbortController | undefined;
  #evict: ((error: OrielError) => void) | undefined;
  #evictedWith: OrielError | undefined;
  #endStream: ((error: OrielError) => void) | undefined;
  #client: Caller | undefined;
  /** Called at the end of the exchange; undefined afterwards. */
  #tellClosed: (() => void)[] | undefined = [];

  constructor(incoming: IncomingMessage, outgoing: ServerResponse) {
    this.incoming = incoming;
    this.#outgoing = outgoing;
    outgoing.once('close', () => this.close());
    const target = incoming.url ?? '';
    const query = target.indexOf('?');
    this.path = query === -1 ? target : target.slice(0, query);
    this.query = new URLSearchParams(query === -1 ? '' : target.slice(query + 1));
  }

  get method(): string {
    return this.incoming.method ?? '';
  }

  header(name: string): string | undefined {
    const value = this.incoming.headers[name];
    return Array.isArray(value) ? value.join(', ') : value;
  }

  /** Also undefined if there are several Host headers, because a proxy might have used another one. */
  get host(): string | undefined {
    const names = this.incoming.rawHeaders.filter((text, i) => i % 2 === 0 && /^host$/i.test(text));
    return names.length === 1 ? this.header('host') : undefined;
  }

  /** Aborted if the client disconnects before it has its reply. */
  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  get #stopping(): AbortController {
    if (this.#stop) return this.#stop;
    const stop = new AbortController();
    const outgoing = this.#outgoing;
    const gone = (): void => {
      if (!outgoing.writableFinished) stop.abort();
    };
    if (outgoing.destroyed) gone();
    else this.onClosed(gone);
    this.#stop = stop;
    return stop;
  }

  /** The result of `work`; rejects immediately if the request is evicted. `work` does not begin if it was already. */
  beforeEvicted<T>(work: () => T | Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#evictedWith) return reject(this.#evictedWith);
      this.#evict = reject;
      Promise.resolve(work()).then(resolve, reject);
    });
  }

  /** Whether the request was evicted: its call must not begin any more. */
  get isEvicted(): boolean {
    return this.#evictedWith !== undefined;
  }

  /** If the request is evicted after its reply has begun, `end` writes `error` as the last part of it. */
  endsWith(end: (error: OrielError) => void): void {
    this.#endStream = end;
  }

  /**
   * Evicts the request: cancels its call, and replies with `error`. A reply that has begun ends with the error if it is a
   * stream of events; the connection of another is closed.
   */
  evict(error: OrielError): void {
    this.#evictedWith = error;
    if (!this.#outgoing.headersSent) {
      this.#evict?.(error);
      this.#stopping.abort();
    } else if (this.#endStream) {
      this.#endStream(error);
      // After the error was sent: MCP sends nothing for a request that was cancelled.
      setImmediate(() => this.#stopping.abort());
    } else this.incoming.socket.destroy();
  }

  /** Resolves when the request has arrived completely, but after `ms` at the latest. Its rest is read, and ignored. */
  async received(ms: number): Promise<void> {
    const { incoming } = this;
    if (incoming.complete || incoming.destroyed) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      const done = (): void => {
        clearTimeout(timer);
        resolve();
      };
      incoming.once('end', done).once('close', done).resume();
    });
  }

  /** Calls `tell` when the reply has been sent or the connection is closed. */
  onClosed(tell: () => void): void {
    if (this.#tellClosed) this.#tellClosed.push(tell);
    else tell();
  }

  /** Marks the exchange as closed. It happens by itself when Node.js closes the response. */
  close(): void {
    const tell = this.#tellClosed ?? [];
    this.#tellClosed = undefined;
    for (const one of tell) one();
  }

  get client(): Caller {
    return (this.#client ??= clientOf(this.incoming));
  }
}
