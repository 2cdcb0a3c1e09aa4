/**
 * Synchronous reads of a worker through the main thread, for a remote database: the worker writes a request into shared
 * memory and blocks until the reply is there.
 */

import { readAt } from '../../access/bytes.ts';
import type { ByteSource } from '../../types/byte-source.ts';

/** The most bytes of one reply. */
export const MAIL_BYTES = 64 << 10;

/** The values of `state[0]`. */
export const MAIL = { idle: 0, asked: 1, answered: 2, failed: 3, closed: 4 } as const;

export interface Mailbox {
  /** The size of the database in bytes. */
  readonly size: number;
  /** `state[0]` is one of `MAIL`, `state[1]` the number of bytes in the reply. */
  readonly state: Int32Array;
  /** The requested offset. */
  readonly offset: Float64Array;
  readonly data: Uint8Array;
}

/** The result of work that used a mailbox, and the error of a failed read. */
export interface Served<T> {
  readonly value: T;
  readonly failure: unknown;
}

/** Serves read requests of a worker from `source` while `act` runs. */
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

/** Sets the state to `how`, unless the mailbox was closed meanwhile. */
function answer({ state }: Mailbox, how: number): void {
  Atomics.compareExchange(state, 0, MAIL.asked, how);
  Atomics.notify(state, 0);
}

function put({ state }: Mailbox, value: number): void {
  Atomics.store(state, 0, value);
  Atomics.notify(state, 0);
}
