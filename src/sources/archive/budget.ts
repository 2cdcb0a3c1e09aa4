/** Owns what one call may unpack, over all levels of nesting: a bomb is stopped by counted bytes, never by declared ones. */

import { OrielError } from '../../errors.ts';
import { archiveLimits } from './limits.ts';

export class Budget {
  #unpacked = 0;
  #depth = 0;

  /** Counts one more container inside a container. Throws `LIMIT` below the deepest level. */
  enter(): void {
    this.#depth += 1;
    if (this.#depth > archiveLimits.depth + 1) {
      throw new OrielError('LIMIT', `archives are opened ${archiveLimits.depth} levels deep and no deeper`);
    }
  }

  spend(bytes: number): void {
    this.#unpacked += bytes;
    if (this.#unpacked > archiveLimits.callBytes) {
      throw new OrielError('LIMIT', `more than ${archiveLimits.callBytes} bytes were unpacked in one call`);
    }
  }
}

const budgets = new WeakMap<AbortSignal, Budget>();

/** The budget of the call this signal belongs to: containers opened through `call.open` share it. */
export function budgetOf(signal: AbortSignal): Budget {
  const budget = budgets.get(signal) ?? new Budget();
  budgets.set(signal, budget);
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
