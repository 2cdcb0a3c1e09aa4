/** A request that has arrived, except perhaps for its body, and may have to wait for its turn. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { Exchange } from './exchange.ts';
import { dropUnread, readAhead } from './request-body.ts';

export interface Arrival {
  /** Called if it has to wait: its body is read meanwhile, because Node.js would buffer 64 KiB of it, in pieces of any size. */
  wait?(): void;
  /** Never throws. */
  answer(): Promise<void>;
  /**
   * Called when its connection is closed, or answers no more requests; perhaps after `answer`. Node.js emits no event for a
   * response that was never the next one of its connection.
   */
  close?(): void;
}

export type Receive = (incoming: IncomingMessage, outgoing: ServerResponse) => Arrival;

/** Takes requests that are answered by `answer`, which never throws. */
export function receiveFor(answer: (exchange: Exchange, outgoing: ServerResponse) => Promise<void>): Receive {
  return (incoming, outgoing) => {
    const exchange = new Exchange(incoming, outgoing);
    dropUnread(exchange);
    return {
      wait: () => readAhead(exchange),
      answer: () => answer(exchange, outgoing),
      close: () => exchange.close(),
    };
  };
}
