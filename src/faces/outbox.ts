/**
 * What peers have not taken yet, on every way out of the process: HTTP answers, files, event streams, MCP on stdout.
 * Of one client it is bounded by backpressure: while it is too much, nothing new is begun for that client. In all it
 * is bounded by ending peers of the address that leaves most, and of its client that leaves most, first the one that has
 * taken nothing for longest. A peer that takes nothing until the timeout is ended too.
 */

import type { Writable } from 'node:stream';
import { type Caller, type Origin, originOf } from '../queues/caller.ts';
import { queues } from '../queues/queue-table.ts';

/** Written at a time; a peer takes as much within the timeout, or it is ended. */
const PIECE_BYTES = 64 << 10;

/** Unsent bytes of one client at which its calls wait. Those that run may add their answers. */
export const CLIENT_BYTES = 8 << 20;

/** Unsent bytes of all clients, whatever names they give themselves. */
const TOTAL_BYTES = 128 << 20;

export const WRITE_TIMEOUT_MS = 30_000;

/** Whatever is made for a client passes one of these. */
const PAUSED = [queues.answers, queues.calls, queues.commands, queues.downloads];

/** Not `performance.now()`: what is sent must not depend on what a host may have replaced. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** Outlets with unsent bytes; the one that has taken nothing for longest first. */
const stuck = new Set<Outlet>();
/** Unsent bytes by client. */
const owed = new Map<Caller, number>();
let total = 0;
let ended = 0;
let timer: NodeJS.Timeout | undefined;

/** Of the whole process: bytes that peers have not taken, and peers that were ended because they did not. */
export const outbox = {
  get unsent(): number {
    return total;
  },
  get ended(): number {
    return ended;
  },
};

/** Bytes that `client` has not taken. */
export function unsentTo(client: Caller): number {
  return owed.get(client) ?? 0;
}

export interface OutletOptions {
  readonly timeoutMs?: number | undefined;
  /** Ends the peer, which does not read; destroys `out` when absent. */
  readonly end?: () => void;
}

/** The way out to one peer: it takes everything at once, and hands it on as the peer reads. */
export class Outlet {
  readonly client: Caller;
  readonly timeoutMs: number;
  /** When `out` has last taken something, on the clock of `monotonicMs`. */
  tookAt = 0;
  #unsent = 0;
  #gone = false;
  /** Nothing follows what is queued. */
  #ending = false;
  /** A piece is with `out`. */
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

  /** Bytes that the peer has not taken. */
  get unsent(): number {
    return this.#unsent;
  }

  /** The peer has everything, or will take nothing more. */
  get gone(): boolean {
    return this.#gone;
  }

  write(data: string | Uint8Array): void {
    if (this.#gone || this.#ending || data.length === 0) return;
    // A string that fits in a piece continues as it is: most answers do, and need no copy.
    const fits = !this.#writing && data.length * 3 <= PIECE_BYTES;
    const bytes = typeof data === 'string' && !fits ? Buffer.from(data) : data;
    const size = typeof bytes === 'string' ? Buffer.byteLength(bytes) : bytes.length;
    owe(this, size);
    this.#unsent += size;
    if (fits) this.#hand(bytes, size);
    else {
      this.#queued.push(bytes as Uint8Array);
      this.#next();
    }
    makeRoom();
  }

  /** The last bytes. */
  end(data: string | Uint8Array = ''): void {
    if (this.#gone || this.#ending) return;
    const whole = !this.#writing && data.length * 3 <= PIECE_BYTES;
    if (!whole) this.write(data);
    this.#ending = true;
    if (!whole) return this.#next();
    const size = typeof data === 'string' ? Buffer.byteLength(data) : data.length;
    owe(this, size);
    this.#unsent += size;
    this.#hand(data, size);
  }

  /** Resolves when everything was taken, or the peer is gone. */
  taken(): Promise<void> {
    if (this.#unsent === 0) return Promise.resolve();
    return new Promise((resolve) => void this.#waiting.push(resolve));
  }

  /** Tells when the peer has everything, or will take nothing more. */
  onGone(tell: () => void): void {
    if (this.#gone) tell();
    else this.#onGone.push(tell);
  }

  /** The peer does not read. */
  giveUp(): void {
    ended += 1;
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
    this.#unsent -= size;
    settle(this, size);
    if (this.#unsent === 0) this.#tell();
    if (!this.#out.writableEnded) this.#next();
  }

  #lose(): void {
    if (this.#gone) return;
    this.#gone = true;
    this.#queued.length = 0;
    const unsent = this.#unsent;
    this.#unsent = 0;
    settle(this, unsent);
    this.#tell();
    for (const tell of this.#onGone) tell();
  }

  #tell(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}

function owe(outlet: Outlet, bytes: number): void {
  if (outlet.unsent === 0) {
    outlet.tookAt = monotonicMs();
    stuck.add(outlet);
    watch();
  }
  total += bytes;
  const before = owed.get(outlet.client) ?? 0;
  owed.set(outlet.client, before + bytes);
  if (before <= CLIENT_BYTES && before + bytes > CLIENT_BYTES)
    for (const queue of PAUSED) queue.pause(outlet.client);
}

/** Gives up peers until what is unsent in all is within its bound: one answer may be larger than that by itself. */
function makeRoom(): void {
  while (total > TOTAL_BYTES) {
    const address = owingMost([...stuck], ({ client }) => originOf(client));
    const [oldest] = owingMost(address, ({ client }) => client);
    if (!oldest) return;
    oldest.giveUp();
  }
}

/** Those with the key whose outlets have most unsent together, in their order. */
function owingMost(outlets: readonly Outlet[], keyOf: (outlet: Outlet) => Origin): readonly Outlet[] {
  const groups = new Map<Origin, { bytes: number; outlets: Outlet[] }>();
  for (const outlet of outlets) {
    const group = groups.get(keyOf(outlet)) ?? { bytes: 0, outlets: [] };
    groups.set(keyOf(outlet), group);
    group.bytes += outlet.unsent;
    group.outlets.push(outlet);
  }
  let most: { readonly bytes: number; readonly outlets: Outlet[] } | undefined;
  for (const group of groups.values()) if (!most || group.bytes > most.bytes) most = group;
  return most?.outlets ?? [];
}

function settle(outlet: Outlet, bytes: number): void {
  stuck.delete(outlet);
  if (outlet.unsent > 0) {
    outlet.tookAt = monotonicMs();
    stuck.add(outlet);
  }
  total -= bytes;
  const before = owed.get(outlet.client) ?? 0;
  if (before > bytes) owed.set(outlet.client, before - bytes);
  else owed.delete(outlet.client);
  if (before > CLIENT_BYTES && before - bytes <= CLIENT_BYTES)
    for (const queue of PAUSED) queue.resume(outlet.client);
}

/** Looks again while anything is unsent, soon enough for the shortest timeout. */
function watch(): void {
  if (timer) return;
  let wait = WRITE_TIMEOUT_MS;
  for (const { timeoutMs } of stuck) wait = Math.min(wait, timeoutMs);
  timer = setTimeout(
    () => {
      timer = undefined;
      const now = monotonicMs();
      for (const outlet of stuck) if (now - outlet.tookAt >= outlet.timeoutMs) outlet.giveUp();
      if (stuck.size > 0) watch();
    },
    Math.max(10, Math.min(1_000, wait / 4)),
  );
  timer.unref();
}
