/** A remote database in a worker: requests a block from the main thread and blocks until it is there. */

import { MAIL, MAIL_BYTES, type Mailbox } from '../mailbox.ts';
import type { ReadableFile } from './vfs.ts';
import type { Clock } from './statement-limits.ts';

/** The most cached blocks (8 MiB). */
const MOST_BLOCKS = 128;

/** Milliseconds between checks of the clock while waiting. */
const LOOK_MS = 20;

export function mailFile(mailbox: Mailbox, clock: Clock): ReadableFile {
  const blocks = new Map<number, Uint8Array>();
  const blockOf = (no: number): Uint8Array => {
    const known = blocks.get(no);
    if (known) {
      blocks.delete(no);
      blocks.set(no, known);
      return known;
    }
    const block = ask(mailbox, no * MAIL_BYTES, clock);
    const [oldest] = blocks.keys();
    if (blocks.size >= MOST_BLOCKS && oldest !== undefined) blocks.delete(oldest);
    blocks.set(no, block);
    return block;
  };
  return {
    remote: true,
    size: () => mailbox.size,
    read(target, offset) {
      let got = 0;
      while (got < target.length && offset + got < mailbox.size) {
        const at = offset + got;
        const no = Math.floor(at / MAIL_BYTES);
        const part = blockOf(no).subarray(at - no * MAIL_BYTES, at - no * MAIL_BYTES + target.length - got);
        if (part.length === 0) break;
        target.set(part, got);
        got += part.length;
      }
      return got;
    },
  };
}

/** Requests a block. Throws if the main thread could not read it, or after the deadline. */
function ask({ state, offset, data }: Mailbox, at: number, clock: Clock): Uint8Array {
  offset[0] = at;
  Atomics.store(state, 0, MAIL.asked);
  Atomics.notify(state, 0);
  for (;;) {
    const now = Atomics.load(state, 0);
    if (now === MAIL.answered) break;
    if (now !== MAIL.asked || clock.over() !== undefined) throw new Error('not read');
    Atomics.wait(state, 0, MAIL.asked, LOOK_MS);
  }
  return data.slice(0, Atomics.load(state, 1));
}
