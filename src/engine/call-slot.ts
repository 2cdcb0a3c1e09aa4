/** The queues that a call waits in before it begins. */

import type { Claim, Slot } from '../queues/queue.ts';
import { queues } from '../queues/queue-table.ts';
import type { CallOptions, Engine, Order } from './open-call.ts';

/** Bytes; only a host that raises the limits has answers that may be larger. */
const LARGE_ANSWER = 1 << 20;

/** Commands have a queue of their own: some take hours, and reading goes on meanwhile. */
export function takeSlot(
  engine: Engine,
  { request, limits }: Pick<Order, 'request' | 'limits'>,
  { signal, caller = engine }: CallOptions,
): Slot | Promise<Slot> {
  const claim = { signal, caller };
  if (request.do === 'run') return queues.commands.acquire(claim);
  const isLarge = Math.max(limits.bytes, limits.windowMax) > LARGE_ANSWER;
  return isLarge ? takeLargeSlot(claim) : queues.calls.acquire(claim);
}

async function takeLargeSlot(claim: Claim): Promise<Slot> {
  const answer = await queues.answers.acquire(claim);
  try {
    const call = await queues.calls.acquire(claim);
    return {
      release() {
        call.release();
        answer.release();
      },
    };
  } catch (error) {
    answer.release();
    throw error;
  }
}
