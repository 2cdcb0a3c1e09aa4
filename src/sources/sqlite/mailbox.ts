/**
 * Lets a worker read bytes that only the main thread can get, pages of a database in an object: it writes into shared
 * memory what it needs and sleeps until the answer is there.
 */

import { readAt } from '../../access/bytes.ts';
import type { ByteSource } from '../../types/byte-source.ts';

/** Bytes of one answer. */
export const MAIL_BYTES = 64 << 10;

/** What `state` holds. */
export const MAIL = { idle: 0, asked: 1, answered: 2, failed: 3, closed: 4 } as const;

export interface Mailbox {
  /** Bytes of the database. */
  readonly size: number;
  /** One of `MAIL`, then the bytes that were answered. */
  readonly state: Int32Array;
  /** The offset that is asked for. */
  readonly offset: Float64Array;
  readonly data: Uint8Array;
}

/** What was read through a mailbox, and why it failed if it did. */
export interface Served<T> {
  readonly value: T;
  readonly failure: unknown;
}

/** Answers what a worker asks of `source` for as long as `act` runs. */
export async function servingMail<T>(
  source: ByteSource,
  size: number,
  signal: AbortSignal,
  act: (mailbox: Mailbox) => Promise<T>,
): Promise<Served<T>> {
  const mailbox: Mailbox = {
    size,
    state: new Int32Array(new SharedArrayBuffer(8)),
    offset: new Float64Array(new SharedArrayBuffer(8)),
    data: new Uint8Array(new SharedArrayBuffer(MAIL_BYTES)),
  };
  let failure: unknown;
  const serving = serve(mailbox, source, signal, (error) => void (failure = error));
  try {
    return { value: await act(mailbox), failure };
  } finally {
    put(mailbox, MAIL.closed);
    await serving;
  }
}

async function serve(
  mailbox: Mailbox,
  source: ByteSource,
  signal: AbortSignal,
  onFailure: (error: unknown) => void,
): Promise<void> {
  const { state, offset, data } = mailbox;
  for (let seen = Atomics.load(state, 0); seen !== MAIL.closed; seen = Atomics.load(state, 0)) {
    if (seen !== MAIL.asked) {
      await Atomics.waitAsync(state, 0, seen).value;
      continue;
    }
    try {
      const bytes = await readAt(source, offset[0] as number, MAIL_BYTES, signal);
      data.set(bytes);
      Atomics.store(state, 1, bytes.length);
      answer(mailbox, MAIL.answered);
    } catch (error) {
      onFailure(error);
      answer(mailbox, MAIL.failed);
    }
  }
}

/** What was closed meanwhile stays closed. */
function answer({ state }: Mailbox, how: number): void {
  Atomics.compareExchange(state, 0, MAIL.asked, how);
  Atomics.notify(state, 0);
}

function put({ state }: Mailbox, value: number): void {
  Atomics.store(state, 0, value);
  Atomics.notify(state, 0);
}
