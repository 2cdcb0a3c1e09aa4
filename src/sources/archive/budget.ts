/** The bytes that one call may unpack, over all levels of nesting. They are counted, whatever sizes are declared. */

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

  /** `report` is called every 64 MiB with the number of unpacked bytes. */
  constructor(report: (unpacked: number) => void = () => undefined) {
    this.#report = report;
  }

  /** Counts one more level of nesting. Throws `LIMIT` below the deepest one. */
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

/** The budget of this call: nested containers, opened through `call.open`, share it. */
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
