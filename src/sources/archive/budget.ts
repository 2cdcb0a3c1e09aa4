/** Owns what one call may unpack, over all levels of nesting: a bomb is stopped by counted bytes, never by declared ones. */

import { OrielError } from '../../errors.ts';
import { binarySize } from '../../render/units.ts';
import type { Call } from '../../types/call.ts';
import { archiveLimits } from './archive-limits.ts';

/** Bytes unpacked between two reports of progress. */
const REPORT_EVERY = 64 << 20;

export class Budget {
  readonly #report: (unpacked: number) => void;
  #unpacked = 0;
  #depth = 0;

  /** `report` is told every 64 MiB how much was unpacked. */
  constructor(report: (unpacked: number) => void = () => undefined) {
    this.#report = report;
  }

  /** Counts one more container inside a container. Throws `LIMIT` below the deepest level. */
  enter(): void {
    this.#depth += 1;
    if (this.#depth > archiveLimits.depth + 1) {
      throw new OrielError('LIMIT', `archives are opened ${archiveLimits.depth} levels deep and no deeper`);
    }
  }

  /** Throws `LIMIT` when the call has unpacked too much. */
  spend(bytes: number): void {
    const before = Math.floor(this.#unpacked / REPORT_EVERY);
    this.#unpacked += bytes;
    if (this.#unpacked > archiveLimits.callBytes) {
      throw new OrielError('LIMIT', `more than ${archiveLimits.callBytes} bytes were unpacked in one call`);
    }
    if (Math.floor(this.#unpacked / REPORT_EVERY) > before) this.#report(this.#unpacked);
  }
}

const budgets = new WeakMap<AbortSignal, Budget>();

/** The budget of this call: containers that are opened through `call.open` share it. */
export function budgetOf(call: Call): Budget {
  const known = budgets.get(call.signal);
  if (known) return known;
  const budget = new Budget((unpacked) => {
    call.progress({ message: `unpacking: ${binarySize(unpacked)}`, done: unpacked });
  });
  budgets.set(call.signal, budget);
  return budget;
}

/**
 * Passes on what a decoder unpacks and throws `LIMIT` when it is too much for what went in. `packed` gives the
 * bytes fed so far.
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
