/** Reads the body of a request as JSON, with limits on its bytes, pieces and values. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { OrielError } from '../../errors.ts';
import { type Caller, type CallerOrigin, callerOrigin } from '../../queues/caller.ts';
import { binarySize } from '../../render/display.ts';
import { hasTooManyValues, MAX_JSON_VALUES } from '../../text/visible.ts';
import { monotonicMs } from '../outbox.ts';
import { HttpExchange, type HttpReply } from './exchange.ts';
import { problem } from './problem.ts';

/** Maximum bytes of a body. */
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

/** Drops the body of a GET or HEAD, which has no meaning (RFC 9110, 9.3.1): no route reads it. */
function dropUnread(exchange: HttpExchange): void {
  if ((exchange.method === 'GET' || exchange.method === 'HEAD') && hasBody(exchange))
    exchange.incoming.resume();
}

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

/** The JSON body, or the 4xx reply. */
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
    return { value: JSON.parse(text) };
  } catch {
    return problem(400, { message: 'The body is not valid JSON.', code: 'BAD_INPUT' });
  }
}

type Text = { readonly text: string; readonly why?: never } | { readonly text?: never; readonly why: string };

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

// Limits the bytes of request bodies that were not answered yet: for each client, for each network address, and in total.
// At a limit, bodies that have stalled for a second are evicted first, then bodies of the address with most bytes in favour
// of one with fewer, so that a few addresses cannot use up the memory.

/** Maximum of a client: four bodies of the maximum size. */
const CLIENT_BYTES = 16 << 20;

/** Maximum of all clients, and of all clients at one address, so that others always have room. */
const TOTAL_BYTES = 64 << 20;
const ORIGIN_BYTES = TOTAL_BYTES - CLIENT_BYTES;

/** A body without new bytes for this long may be evicted for any other. */
const STALLED_MS = 1_000;

/** Bodies that are being read, the longest inactive first. */
const reading = new Set<BodyReservation>();
/** Bodies whose requests are being answered, the oldest first. */
const complete = new Set<BodyReservation>();
/** The holder that stands for all clients. */
const EVERYBODY = {};
/** A client or its origin. They may be the same object, which is then counted once. */
type Holder = Caller | CallerOrigin;
const held = new Map<Holder, number>();
let refused = 0;

/** Counters of the whole process: reserved bytes of bodies, and bodies that were refused. */
export const inbox = {
  get bytes(): number {
    return held.get(EVERYBODY) ?? 0;
  },
  get refused(): number {
    return refused;
  },
};

/** The reserved bytes of a body, until they are released. */
export class BodyReservation {
  /** The origin of its client at this request; it may differ in later requests. */
  readonly origin: CallerOrigin;
  /** The holders to which it counts, with their maximum bytes: the client first, all clients last. */
  readonly holders: ReadonlyMap<Holder, number>;
  /** When its last bytes arrived, on the clock of `monotonicMs`. */
  cameAt = monotonicMs();
  #bytes = 0;
  readonly #refuse: (error: OrielError) => void;

  /** `refuse` is called when the body, or its request, is evicted; its bytes are then released. */
  constructor(client: Caller, refuse: (error: OrielError) => void) {
    this.origin = callerOrigin(client);
    this.holders = new Map([
      [client, CLIENT_BYTES],
      ...(this.origin === client ? [] : [[this.origin, ORIGIN_BYTES] as const]),
      [EVERYBODY, TOTAL_BYTES],
    ]);
    this.#refuse = refuse;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Reserves `bytes` in total for this body. Throws `BUSY` at a limit. */
  grow(bytes: number): void {
    this.cameAt = monotonicMs();
    reading.delete(this);
    const more = bytes - this.#bytes;
    if (more > 0) {
      makeRoom(this, more);
      this.#take(more);
    }
    reading.add(this);
  }

  /** Marks the body as completely received. */
  complete(): void {
    reading.delete(this);
    complete.add(this);
  }

  release(): void {
    reading.delete(this);
    complete.delete(this);
    this.#take(-this.#bytes);
  }

  evict(): void {
    this.release();
    refused += 1;
    this.#refuse(busy());
  }

  #take(bytes: number): void {
    this.#bytes += bytes;
    for (const holder of this.holders.keys()) {
      const of = (held.get(holder) ?? 0) + bytes;
      if (of > 0) held.set(holder, of);
      else held.delete(holder);
    }
  }
}

function makeRoom(parcel: BodyReservation, bytes: number): void {
  const evicted = evictedFor(parcel, bytes);
  if (!evicted) {
    refused += 1;
    throw busy();
  }
  for (const other of evicted) other.evict();
}

/** The bodies to evict for `bytes` more bytes; undefined if that would not be enough. */
function evictedFor(parcel: BodyReservation, bytes: number): ReadonlySet<BodyReservation> | undefined {
  const changes = new Map<Holder, number>();
  const evicted = new Set<BodyReservation>();
  const bytesOf = (holder: Holder): number => (held.get(holder) ?? 0) + (changes.get(holder) ?? 0);
  const add = ({ holders }: BodyReservation, more: number): void => {
    for (const holder of holders.keys()) changes.set(holder, (changes.get(holder) ?? 0) + more);
  };
  const evict = (other: BodyReservation): void => {
    evicted.add(other);
    add(other, -other.bytes);
  };
  const isFull = (holder: Holder): boolean => bytesOf(holder) > (parcel.holders.get(holder) ?? Infinity);
  const holders = [...parcel.holders.keys()];
  add(parcel, bytes);
  if (!holders.some(isFull)) return evicted;

  const silent = [...reading].filter((other) => parcel.cameAt - other.cameAt >= STALLED_MS);
  for (const holder of holders) {
    for (const other of silent) {
      if (isFull(holder) && other.holders.has(holder) && !evicted.has(other)) evict(other);
    }
  }
  if (holders.some((holder) => holder !== EVERYBODY && isFull(holder))) return undefined;

  // Incomplete bodies are evicted first.
  const larger = new Map<CallerOrigin, BodyReservation[]>();
  for (const other of isFull(EVERYBODY) ? [...reading, ...complete] : []) {
    if (evicted.has(other) || bytesOf(other.origin) <= bytesOf(parcel.origin)) continue;
    const before = larger.get(other.origin);
    if (before) before.push(other);
    else larger.set(other.origin, [other]);
  }
  while (isFull(EVERYBODY)) {
    let most = parcel.origin;
    for (const origin of larger.keys()) if (bytesOf(origin) > bytesOf(most)) most = origin;
    const other = larger.get(most)?.shift();
    if (!other) return undefined;
    evict(other);
  }

  // Drops bodies that need not be evicted, because a larger one was chosen later.
  for (const other of [...evicted].reverse()) {
    add(other, other.bytes);
    if (holders.some(isFull)) add(other, -other.bytes);
    else evicted.delete(other);
  }
  return evicted;
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
    dropUnread(exchange);
    return {
      wait: () => readAhead(exchange),
      answer: () => answer(exchange, outgoing),
      close: () => exchange.close(),
    };
  };
}
