/** What may be unpacked. Bytes and levels are counted, whatever sizes are declared. */

import { OrielError } from '../../errors.ts';
import { binarySize } from '../../render/units.ts';
import type { Progress } from '../../types/progress.ts';
import type { Subject } from '../../types/resource.ts';
import { archiveLimits } from './archive-limits.ts';

/** Bytes unpacked between two reports of progress. */
const REPORT_EVERY = 64 << 20;

/**
 * What one walk through packed data may unpack. It is counted from the walk's beginning, over as many calls as continue
 * with it: what the limit refuses does not depend on what other calls have left behind.
 */
export class Budget {
  readonly #progress: (progress: Progress) => void;
  #unpacked = 0;

  constructor(progress: (progress: Progress) => void = () => undefined) {
    this.#progress = progress;
  }

  /** Throws `LIMIT` when too much was unpacked. */
  spend(bytes: number): void {
    const before = Math.floor(this.#unpacked / REPORT_EVERY);
    this.#unpacked += bytes;
    if (this.#unpacked > archiveLimits.walkBytes) {
      throw new OrielError('LIMIT', `it comes after more than ${archiveLimits.walkBytes} unpacked bytes`);
    }
    if (Math.floor(this.#unpacked / REPORT_EVERY) === before) return;
    this.#progress({ message: `unpacking: ${binarySize(this.#unpacked)}`, done: this.#unpacked });
  }
}

/** Throws `LIMIT` for a container that is in too many others; a call may open any number beside each other. */
export function enterContainer({ depth = 0 }: Subject): void {
  if (depth > archiveLimits.depth) {
    throw new OrielError('LIMIT', `archives are opened at most ${archiveLimits.depth} levels deep`);
  }
}

/**
 * Passes on the output of a decoder. Throws `LIMIT` when its ratio to the input is too high; `packed` gives the bytes
 * of input so far.
 */
export async function* metered(
  unpacked: AsyncIterable<Uint8Array>,
  packed: () => number,
  budget: Budget,
): AsyncGenerator<Uint8Array> {
  let out = 0;
  for await (const chunk of unpacked) {
    out += chunk.length;
    budget.spend(chunk.length);
    if (out > archiveLimits.ratioFrom && out > archiveLimits.ratio * packed()) {
      throw new OrielError('LIMIT', `it unpacks to more than ${archiveLimits.ratio} times its packed size`);
    }
    yield chunk;
  }
}
