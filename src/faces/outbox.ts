/**
 * Limits the unsent bytes of all outputs of the process: HTTP responses, files, event streams, MCP on stdout. For each
 * client there is backpressure: above its limit no new calls are started for it. At the total limit peers are
 * disconnected: those of the address with most unsent bytes, of its client with most, the longest stalled first. A peer
 * that reads nothing until the timeout is disconnected too.
 */

import type { Writable } from 'node:stream';
import { OrielError } from '../errors.ts';
import type { Caller } from '../queues/caller.ts';
import { FairBudget } from '../queues/fair-budget.ts';
import { queues } from '../queues/queue-table.ts';
import type { Progress } from '../types/session.ts';

/** Bytes of a write; a peer must read that much within the timeout. */
const PIECE_BYTES = 64 << 10;

/** Unsent bytes of a client above which its calls wait. Running calls may add their answers. */
export const CLIENT_BYTES = 8 << 20;

const TOTAL_BYTES = 128 << 20;

const WRITE_TIMEOUT_MS = 30_000;

/** All work for a client passes one of these queues. */
const PAUSED = [queues.answers, queues.calls, queues.commands, queues.downloads];

/** Not `performance.now()`, which a host may have replaced. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** Outlets with unsent bytes, the longest stalled first. */
const budget = new FairBudget<PeerOutlet>(TOTAL_BYTES);
let timer: NodeJS.Timeout | undefined;

/** Counters of the whole process: unsent bytes, and peers that were disconnected because they did not read. */
export const outbox = {
  get unsent(): number {
    return budget.bytes;
  },
  ended: 0,
};

/** Unsent bytes of `client`. */
export function unsentTo(client: Caller): number {
  return budget.bytesOf(client);
}

export interface OutletOptions {
  readonly timeoutMs?: number | undefined;
  /** Disconnects a peer that does not read; when absent, `out` is destroyed. */
  readonly end?: (() => void) | undefined;
}

/** The output to a peer: it buffers everything and writes as the peer reads. */
export class PeerOutlet {
  readonly client: Caller;
  readonly timeoutMs: number;
  /** When the peer last read something, on the clock of `monotonicMs`. */
  tookAt = 0;
  #unsent = 0;
  #gone = false;
  /** Whether `end` was called. */
  #ending = false;
  /** Whether a piece is being written. */
  #writing = false;
  readonly #out: Writable;
  readonly #end: () => void;
  readonly #queued: Uint8Array[] = [];
  #waiting: (() => void)[] = [];
  readonly #onGone: (() => void)[] = [];

  constructor(out: Writable, client: Caller, { timeoutMs = WRITE_TIMEOUT_MS, end }: OutletOptions = {}) {
    this.#out = out;
    this.client = client;
    this.timeoutMs = timeoutMs;
    this.#end = end ?? (() => out.destroy());
    this.#gone = out.destroyed;
    out.once('close', () => this.#lose());
    out.once('error', () => this.#lose());
  }

  /** Unsent bytes. */
  get bytes(): number {
    return this.#unsent;
  }

  /** Whether everything was sent, or the peer has disconnected. */
  get gone(): boolean {
    return this.#gone;
  }

  write(data: string | Uint8Array): void {
    if (this.#gone || this.#ending || data.length === 0) return;
    // A string that fits into a piece is written without a copy, as most answers do.
    const fits = !this.#writing && data.length * 3 <= PIECE_BYTES;
    const bytes = typeof data === 'string' && !fits ? Buffer.from(data) : data;
    const size = typeof bytes === 'string' ? Buffer.byteLength(bytes) : bytes.length;
    this.#change(size);
    if (fits) this.#hand(bytes, size);
    else {
      this.#queued.push(bytes as Uint8Array);
      this.#next();
    }
    // A single answer may exceed the limit.
    while (budget.isExceeded) budget.heaviest()?.giveUp();
  }

  /** Writes the last bytes. */
  end(data: string | Uint8Array = ''): void {
    if (this.#gone || this.#ending) return;
    const whole = !this.#writing && data.length * 3 <= PIECE_BYTES;
    if (!whole) this.write(data);
    this.#ending = true;
    if (!whole) return this.#next();
    const size = typeof data === 'string' ? Buffer.byteLength(data) : data.length;
    this.#change(size);
    this.#hand(data, size);
  }

  /** Resolves when everything was sent, or the peer has disconnected. */
  taken(): Promise<void> {
    if (this.#unsent === 0) return Promise.resolve();
    return new Promise((resolve) => void this.#waiting.push(resolve));
  }

  /** Calls `tell` when everything was sent, or the peer has disconnected. */
  onGone(tell: () => void): void {
    if (this.#gone) tell();
    else this.#onGone.push(tell);
  }

  /** Disconnects a peer that does not read. */
  giveUp(): void {
    outbox.ended += 1;
    this.#lose();
    this.#end();
  }

  #next(): void {
    if (this.#gone || this.#writing) return;
    const first = this.#queued[0];
    if (first === undefined) {
      if (this.#ending) this.#out.end();
      return;
    }
    const piece = first.subarray(0, PIECE_BYTES);
    if (piece.length === first.length) this.#queued.shift();
    else this.#queued[0] = first.subarray(PIECE_BYTES);
    this.#hand(piece, piece.length);
  }

  #hand(piece: string | Uint8Array, size: number): void {
    this.#writing = true;
    const taken = (): void => this.#took(size);
    if (this.#ending && this.#queued.length === 0) this.#out.end(piece, taken);
    else this.#out.write(piece, taken);
  }

  #took(size: number): void {
    if (this.#gone) return;
    this.#writing = false;
    this.#change(-size);
    if (this.#unsent === 0) this.#tell();
    if (!this.#out.writableEnded) this.#next();
  }

  #lose(): void {
    if (this.#gone) return;
    this.#gone = true;
    this.#queued.length = 0;
    this.#change(-this.#unsent);
    this.#tell();
    for (const tell of this.#onGone) tell();
  }

  #change(more: number): void {
    const { client } = this;
    const before = budget.bytesOf(client);
    // Further bytes to a peer that reads nothing are no sign of life.
    if (more < 0 || this.#unsent === 0) this.tookAt = monotonicMs();
    this.#unsent += more;
    budget.changed(this, more);
    const [wasOver, isOver] = [before > CLIENT_BYTES, before + more > CLIENT_BYTES];
    if (isOver && !wasOver) for (const queue of PAUSED) queue.pause(client);
    if (wasOver && !isOver) for (const queue of PAUSED) queue.resume(client);
    if (more > 0) watch();
  }

  #tell(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}

/** Starts a timer that checks for stalled peers, in time for the shortest timeout. */
function watch(): void {
  if (timer) return;
  let wait = WRITE_TIMEOUT_MS;
  for (const { timeoutMs } of budget.holders) wait = Math.min(wait, timeoutMs);
  timer = setTimeout(
    () => {
      timer = undefined;
      const now = monotonicMs();
      for (const outlet of budget.holders) if (now - outlet.tookAt >= outlet.timeoutMs) outlet.giveUp();
      if (budget.holders.size > 0) watch();
    },
    Math.max(10, Math.min(1_000, wait / 4)),
  );
  timer.unref();
}

// Limits progress messages to ten a second, and sends none after the answer.

const EVERY_MS = 100;

export interface ProgressPace {
  tell(progress: Progress): void;
  /** Drops later messages, because the answer is there. */
  end(): void;
}

export function pace(tell: (progress: Progress) => void): ProgressPace {
  let last = Number.NEGATIVE_INFINITY;
  let ended = false;
  return {
    tell(progress) {
      const now = performance.now();
      if (ended || now - last < EVERY_MS) return;
      last = now;
      tell(progress);
    },
    end() {
      ended = true;
    },
  };
}

// How servers end, over stdio and over HTTP: the time that running calls have, and the errors of those that get no answer.

/** Milliseconds that running calls have after the server was told to end. */
export const GRACE_MS = 3_000;

/** For a call that was running. */
export const endedError = (): OrielError =>
  new OrielError(
    'BUSY',
    'The server has ended, and this call with it. Use the same call when it runs again.',
  );

/** For a call that arrived while the server was ending. */
export const endingError = (): OrielError =>
  new OrielError('BUSY', 'The server is ending. Use the same call when it runs again.');
