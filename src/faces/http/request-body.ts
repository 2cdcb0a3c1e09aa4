/** Reads the body of a request as JSON, with limits on its bytes, pieces and values. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { OrielError } from '../../errors.ts';
import type { Caller } from '../../queues/caller.ts';
import { FairBudget } from '../../queues/fair-budget.ts';
import { binarySize } from '../../render/display.ts';
import { hasTooManyValues, MAX_JSON_VALUES } from '../../text/visible.ts';
import { monotonicMs } from '../outbox.ts';
import { HttpExchange, type HttpReply } from './exchange.ts';
import { problem } from './problem.ts';

const BODY_BYTES = 4 * 2 ** 20;

/** Larger bodies reserve bytes in the inbox until their request is answered; smaller ones are limited by connections and queues. */
const SMALL_BYTES = 16 << 10;

/** The first buffer for a body of unknown length. */
const INITIAL_BODY_BYTES = 1 << 10;

/**
 * The first pieces may have any size; above that, pieces must have `PIECE_BYTES` on average. A piece of one byte costs as
 * much time as a large one.
 */
const FEW_PIECES = 4_096;
const PIECE_BYTES = 64;

/** The bodies of requests that had to wait. */
const ahead = new WeakMap<HttpExchange, Promise<Text>>();

/** Begins to read the body of a request that has to wait, or to drop it if no route would read it. */
function readAhead(exchange: HttpExchange): void {
  // It may wait first for its connection, and then for other connections.
  if (!hasBody(exchange) || ahead.has(exchange) || exchange.incoming.readableFlowing === true) return;
  if (!isJson(exchange)) return void exchange.incoming.resume();
  const text = textOf(exchange);
  // Whoever asks for the body gets the error.
  text.catch(() => undefined);
  ahead.set(exchange, text);
}

function hasBody({ incoming: { headers } }: HttpExchange): boolean {
  return 'content-length' in headers || 'transfer-encoding' in headers;
}

/** A browser sends text/plain and forms to other origins without a preflight request, but not JSON. */
function isJson(exchange: HttpExchange): boolean {
  const type = (exchange.header('content-type') ?? '').split(';')[0]?.trim().toLowerCase();
  return type === 'application/json';
}

export async function jsonOf(exchange: HttpExchange): Promise<{ value: unknown } | HttpReply> {
  if (!isJson(exchange))
    return problem(415, {
      message: 'The body must have the content type application/json.',
      code: 'BAD_INPUT',
    });
  const { text, why } = await (ahead.get(exchange) ?? textOf(exchange));
  if (why !== undefined) return problem(413, { message: why, code: 'LIMIT' });
  if (hasTooManyValues(text)) {
    const message = `The body has more than ${MAX_JSON_VALUES.toLocaleString('en')} values.`;
    return problem(413, { message, code: 'LIMIT' });
  }
  try {
    // Some clients begin with a byte order mark.
    return { value: JSON.parse(text.replace(/^\uFEFF/, '')) };
  } catch {
    return problem(400, { message: 'The body is not valid JSON.', code: 'BAD_INPUT' });
  }
}

type Text =
  | { readonly text: string; readonly why?: never | undefined }
  | { readonly text?: never | undefined; readonly why: string };

const TOO_LARGE: Text = { why: `The body is larger than ${binarySize(BODY_BYTES)}.` };
const TOO_FINE: Text = {
  why: `The body comes in more than ${FEW_PIECES.toLocaleString('en')} pieces of less than ${PIECE_BYTES} bytes each. Send it in larger ones.`,
};

/**
 * The body, or why it is refused. At most `BODY_BYTES` are kept. Throws `BUSY` if the inbox has no room for it, or when it
 * is evicted because it stalls. The rest of a refused body is dropped: if it were not read, a client that leaves would not be
 * noticed, and small pieces would be buffered at a hundred times their size.
 */
async function textOf(exchange: HttpExchange): Promise<Text> {
  const { incoming } = exchange;
  const declared = Number(incoming.headers['content-length'] ?? 0);
  if (declared > BODY_BYTES) {
    incoming.resume();
    return TOO_LARGE;
  }
  return new Promise((resolve, reject) => {
    let bytes = Buffer.allocUnsafe(Math.min(declared || INITIAL_BODY_BYTES, SMALL_BYTES));
    let length = 0;
    let pieces = 0;
    const stop = (): void => {
      incoming.off('data', take).off('end', end).off('close', gone).off('error', gone);
    };
    const fail = (error: OrielError): void => {
      stop();
      incoming.resume();
      reject(error);
    };
    const parcel = new BodyReservation(exchange.client, (error) => {
      if (!incoming.complete) return fail(error);
      stop();
      exchange.evict(error);
    });
    const makeRoom = (size: number): void => {
      if (size > SMALL_BYTES) parcel.grow(size);
    };
    const refuse = (text: Text): void => {
      stop();
      incoming.resume();
      parcel.release();
      resolve(text);
    };
    const take = (piece: Buffer): void => {
      pieces += 1;
      const end = length + piece.length;
      if (end > BODY_BYTES) return refuse(TOO_LARGE);
      if (pieces > FEW_PIECES && end < pieces * PIECE_BYTES) return refuse(TOO_FINE);
      const size =
        end <= bytes.length ? bytes.length : Math.min(BODY_BYTES, Math.max(2 * bytes.length, declared, end));
      try {
        makeRoom(size);
      } catch (error) {
        parcel.release();
        return fail(error as OrielError);
      }
      if (size > bytes.length) bytes = Buffer.concat([bytes.subarray(0, length)], size);
      piece.copy(bytes, length);
      length = end;
    };
    const end = (): void => {
      if (exchange.isEvicted) return gone();
      stop();
      if (length <= SMALL_BYTES) parcel.release();
      else {
        parcel.complete();
        exchange.onClosed(() => parcel.release());
      }
      resolve({ text: bytes.toString('utf8', 0, length) });
    };
    const gone = (cause?: Error): void => {
      stop();
      parcel.release();
      reject(
        new OrielError('CANCELLED', 'The client disconnected before its request was complete.', { cause }),
      );
    };
    // No events follow if the connection is closed already.
    if (incoming.destroyed) return gone();
    makeRoom(declared);
    incoming.on('data', take).on('end', end).on('close', gone).on('error', gone);
  });
}

// Limits the bytes of request bodies that were not answered yet. At the limit, bodies that have stalled for a second are
// evicted first, then those of the address with most bytes.

/** Maximum of a client: four bodies of the maximum size. */
const CLIENT_BYTES = 16 << 20;

const TOTAL_BYTES = 64 << 20;

/** A body without new bytes for this long may be evicted for any other. */
const STALLED_MS = 1_000;

const budget = new FairBudget<BodyReservation>(TOTAL_BYTES);
/** Counters of the whole process: reserved bytes of bodies, and bodies that were refused. */
export const inbox = {
  get bytes(): number {
    return budget.bytes;
  },
  refused: 0,
};

/** The reserved bytes of a body, until they are released. */
export class BodyReservation {
  readonly client: Caller;
  /** When its last bytes arrived, on the clock of `monotonicMs`; undefined if it is complete. */
  cameAt: number | undefined = monotonicMs();
  #bytes = 0;
  readonly #refuse: (error: OrielError) => void;

  /** `refuse` is called when the body, or its request, is evicted; its bytes are then released. */
  constructor(client: Caller, refuse: (error: OrielError) => void) {
    this.client = client;
    this.#refuse = refuse;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Reserves `bytes` in total for this body. Throws `BUSY` at a limit. */
  grow(bytes: number): void {
    const now = monotonicMs();
    this.cameAt = now;
    if (bytes > this.#bytes) this.#change(bytes - this.#bytes);
    while (budget.isExceeded || budget.bytesOf(this.client) > CLIENT_BYTES) {
      const evicted = this.#evictable(now);
      if (!evicted) {
        this.release();
        inbox.refused += 1;
        throw busy();
      }
      evicted.evict();
    }
  }

  /** The body that is evicted for this one; undefined if this one would have the most. */
  #evictable(now: number): BodyReservation | undefined {
    const isAny = budget.bytesOf(this.client) <= CLIENT_BYTES;
    for (const other of budget.holders) {
      const { client, cameAt = now } = other;
      if (now - cameAt >= STALLED_MS && (isAny || client === this.client)) return other;
    }
    return isAny ? budget.heaviest(this.client) : undefined;
  }

  complete(): void {
    this.cameAt = undefined;
  }

  release(): void {
    this.#change(-this.#bytes);
  }

  evict(): void {
    this.release();
    inbox.refused += 1;
    this.#refuse(busy());
  }

  #change(more: number): void {
    this.#bytes += more;
    budget.changed(this, more);
  }
}

function busy(): OrielError {
  return new OrielError(
    'BUSY',
    'Too many bodies of requests are being read. Make the same request again in a moment.',
  );
}

// A request that has arrived, except perhaps for its body, and may have to wait for its turn.

export interface RequestArrival {
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

export type ReceiveRequest = (incoming: IncomingMessage, outgoing: ServerResponse) => RequestArrival;

/** Takes requests that are answered by `answer`, which never throws. */
export function receiveFor(
  answer: (exchange: HttpExchange, outgoing: ServerResponse) => Promise<void>,
): ReceiveRequest {
  return (incoming, outgoing) => {
    const exchange = new HttpExchange(incoming, outgoing);
    // The body of a GET or HEAD has no meaning (RFC 9110, 9.3.1), and no route reads it.
    if (/^(?:GET|HEAD)$/.test(exchange.method) && hasBody(exchange)) incoming.resume();
    return {
      wait: () => readAhead(exchange),
      answer: () => answer(exchange, outgoing),
      close: () => exchange.close(),
    };
  };
}
