/** One HTTP request as the routes see it, and what they answer. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { OrielError } from '../../errors.ts';
import type { Caller } from '../../queues/caller.ts';
import type { Outlet } from '../outbox.ts';
import { clientOf } from './client-of.ts';

/** All at once, or by a function that writes it as it is made. */
export type Body = string | Uint8Array | ((outlet: Outlet) => Promise<void>);

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Without one the body is empty. */
  readonly body?: Body;
  /** Whose it is until it was taken, where that is not the client of the request: a MCP session. */
  readonly caller?: Caller;
}

export class Exchange {
  readonly incoming: IncomingMessage;
  /** Of the request target, as it was sent. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly #outgoing: ServerResponse;
  #stop: AbortController | undefined;
  #evict: ((error: OrielError) => void) | undefined;
  #client: Caller | undefined;

  constructor(incoming: IncomingMessage, outgoing: ServerResponse) {
    this.incoming = incoming;
    this.#outgoing = outgoing;
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

  /** Undefined also if there are several, of which another program might have looked at another one. */
  get host(): string | undefined {
    const names = this.incoming.rawHeaders.filter((text, i) => i % 2 === 0 && /^host$/i.test(text));
    return names.length === 1 ? this.header('host') : undefined;
  }

  /** Aborted when the client goes away before it has its answer. */
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
    if (outgoing.closed || outgoing.destroyed) gone();
    else outgoing.once('close', gone);
    this.#stop = stop;
    return stop;
  }

  /** What `work` gives; throws at once, where the request is evicted before. */
  beforeEvicted<T>(work: T | Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#evict = reject;
      Promise.resolve(work).then(resolve, reject);
    });
  }

  /** Ends its call. The client hears of `error`; where a part of the answer has been sent already, its connection is closed. */
  evict(error: OrielError): void {
    if (this.#outgoing.headersSent) return void this.incoming.socket.destroy();
    this.#evict?.(error);
    this.#stopping.abort();
  }

  /** Tells when the answer has been sent, or nobody waits for it any more. */
  onClosed(tell: () => void): void {
    if (this.#outgoing.closed) tell();
    else this.#outgoing.once('close', tell);
  }

  get client(): Caller {
    return (this.#client ??= clientOf(this.incoming));
  }
}
