/**
 * Answers the requests of a connection one after the other. While new clients connect, one request begins in each iteration
 * of the event loop: Node.js accepts one connection in each, so new clients would wait while many requests begin. When the
 * server ends, the reply to a request is the last of its connection, and connections without a request are closed.
 */

import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createStarts } from '../../queues/turns.ts';
import { clientOf } from './client-identity.ts';

/** Maximum pipelined requests that wait on a connection. */
const MOST_PIPELINED = 64;

/** Maximum pieces of a body that is dropped; reading a small one takes as much time as a large one. */
const MOST_DROPPED = 4_096;

/** Milliseconds for which the rest of a request is read that was answered before it was complete. */
export const UNREAD_MS = 500;

/** After so many turns of the event loop without a new connection none waits to be accepted. */
const QUIET_TURNS = 3;

type Answering = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** A request that is being answered. */
interface Turn {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Begins the pipelined requests behind it. */
  readonly next: (() => void)[];
}

export class Turns {
  readonly #answer: Answering;
  readonly #open = new Set<Socket>();
  /** The connections that have a request. */
  readonly #busy = new Map<Socket, Turn>();
  /** Connections that were accepted, and how many of them had been when requests last began. */
  #accepted = 0;
  #acceptedBefore = 0;
  /** While connections are accepted, others may wait. */
  readonly #start = createStarts(() => {
    const isAccepting = this.#accepted > this.#acceptedBefore;
    this.#acceptedBefore = this.#accepted;
    return isAccepting;
  });
  readonly #waiting = new WeakSet<IncomingMessage>();
  #isEnding = false;

  constructor(server: Server, answer: Answering) {
    this.#answer = answer;
    server.on('connection', (socket) => {
      this.#accepted += 1;
      this.#open.add(socket);
      socket.once('close', () => {
        this.#open.delete(socket);
        this.#busy.delete(socket);
      });
    });
  }

  /** Whether a refusal of what arrives now would be read as the reply to an earlier request, or as a part of it. */
  isReplying(socket: Socket): boolean {
    const { request, response } = this.#busy.get(socket) ?? {};
    return request?.complete === true || response?.headersSent === true;
  }

  /** The next request of a connection begins when the client has the response to the one before. */
  answer(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    const turn = this.#busy.get(socket);
    const begin = (): void => this.#begin(request, response);
    if (isRead(request)) dropBody(request);
    if (!turn) begin();
    // A reply that is the last of its connection is not followed by another.
    else if (this.#isEnding) return;
    else if (turn.next.length < MOST_PIPELINED) {
      turn.next.push(begin);
      this.#hold(request);
    } else socket.destroy();
  }

  /** Every reply that has not begun says that it is the last of its connection. */
  end(): void {
    this.#isEnding = true;
    for (const { response, next } of this.#busy.values()) {
      next.length = 0;
      if (!response.headersSent) response.setHeader('connection', 'close');
    }
  }

  /**
   * Closes the connections without a request, after those that have sent one have their reply. Connections that wait to be
   * accepted have sent theirs too: closing the server would reset them. That ends after `ms`.
   */
  async closeIdle(ms: number): Promise<void> {
    const until = performance.now() + ms;
    // What has arrived already is read in the first turn after it was accepted.
    for (let quiet = 0; quiet < QUIET_TURNS && performance.now() < until;) {
      const before = this.#accepted;
      await nextTurn();
      quiet = this.#accepted === before ? quiet + 1 : 0;
    }
    for (const socket of this.#open) if (!this.#busy.has(socket)) socket.destroySoon();
  }

  #begin(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    const next = this.#busy.get(socket)?.next ?? [];
    this.#busy.set(socket, { request, response, next });
    if (this.#isEnding) response.setHeader('connection', 'close');
    response.once('close', () => {
      endUnread(request);
      const following = next.shift();
      if (following && !socket.destroyed) return following();
      this.#busy.delete(socket);
      // The reply had begun before the server was told to end, so it does not say that it is the last.
      if (this.#isEnding) socket.destroySoon();
    });
    const answer = (): boolean => {
      this.#release(request);
      if (socket.destroyed) return false;
      void this.#answer(request, response);
      return true;
    };
    this.#hold(request);
    this.#start(answer, () => clientOf(request));
  }

  /**
   * Does not read more of a request that waits: Node.js would buffer 64 KiB of its body, and pieces of one byte take two
   * hundred times their size. Whether its client has left is only noticed when it begins.
   */
  #hold(request: IncomingMessage): void {
    this.#waiting.add(request);
    // Node.js reads on when the request before it on the connection is complete.
    process.nextTick(() => {
      if (this.#waiting.has(request) && !request.complete) request.socket.pause();
    });
  }

  #release(request: IncomingMessage): void {
    this.#waiting.delete(request);
    if (!request.complete && request.socket.isPaused()) request.socket.resume();
  }
}

function isRead({ method }: IncomingMessage): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** The body of a GET or HEAD has no meaning (RFC 9110, 9.3.1), and no route reads it. */
function dropBody(request: IncomingMessage): void {
  const { headers, socket } = request;
  if (!('content-length' in headers || 'transfer-encoding' in headers)) return;
  let pieces = 0;
  request.on('data', () => {
    pieces += 1;
    if (pieces > MOST_DROPPED) socket.destroy();
  });
}

/**
 * Reads the rest of a request for a moment after its response: if the connection were closed immediately, the client might not
 * see the response.
 */
function endUnread(request: IncomingMessage): void {
  if (request.complete) return;
  setTimeout(() => {
    if (!request.complete) request.socket.destroy();
  }, UNREAD_MS).unref();
}
