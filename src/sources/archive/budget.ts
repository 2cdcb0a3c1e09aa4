/** Limits on unpacking, by counted bytes and nesting levels: declared sizes are not trusted. */

import { OrielError } from '../../errors.ts';
import { binarySize } from '../../render/units.ts';
import type { Progress } from '../../types/progress.ts';
import type { Subject } from '../../types/resource.ts';
import { archiveLimits } from './archive-limits.ts';

/** Bytes unpacked between two reports of progress. */
const REPORT_EVERY = 64 << 20;

/**
 * The byte budget of one pass through packed data. Bytes are counted from the start of the pass, even if several calls
 * continue it, so that the limit does not depend on what earlier calls have cached.
 */
export class Budget {
  readonly #progress: (progress: Progress) => void;
  #unpacked = 0;

  constructor(progress: (progress: Progress) => void = () => undefined) {
    this.#progress = progress;
  }

  /** Counts unpacked bytes. Throws `LIMIT` when there are too many. */
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

/** Throws `LIMIT` for a container that is nested too deep. The number of containers side by side is not limited. */
export function enterContainer({ depth = 0 }: Subject): void {
  if (depth > archiveLimits.depth) {
    throw new OrielError('LIMIT', `archives are opened at most ${archiveLimits.depth} levels deep`);
  }
}

/**
 * Passes the output of a decoder on. Throws `LIMIT` when the ratio of output to input is too high; `packed` returns the
 * number of input bytes so far.
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
