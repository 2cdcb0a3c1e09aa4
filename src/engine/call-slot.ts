/** The queues that a call waits in before it begins. */

import { OrielError } from '../errors.ts';
import type { Claim, Slot } from '../queues/queue.ts';
import { queues } from '../queues/queue-table.ts';
import { deadlineOf } from '../queues/deadline.ts';
import { isWeb } from '../sources/web.ts';
import { MOST_WAIT_MS } from '../sources/web/web-limits.ts';
import type { Request } from '../types/request.ts';
import type { CallOptions, Engine, Order } from './open-call.ts';

/** Bytes; only a host that raises the limits has answers that may be larger. */
const LARGE_ANSWER = 1 << 20;

/** Commands have a separate queue: some take hours, and reading continues meanwhile. */
export function takeSlot(
  engine: Engine,
  { request, limits }: Pick<Order, 'request' | 'limits'>,
  { signal, caller = engine }: CallOptions,
): Slot | Promise<Slot> {
  const claim = { signal, caller };
  if (request.do === 'run') return queues.commands.acquire(claim);
  if (isPage(request)) return takePageSlot(claim);
  const isLarge = Math.max(limits.bytes, limits.windowMax) > LARGE_ANSWER;
  return isLarge ? takeLargeSlot(claim) : queues.calls.acquire(claim);
}

/** The wait is a part of the 15 seconds of a page: behind pages that never arrive, it is refused in time. */
function takePageSlot(claim: Claim): Slot | Promise<Slot> {
  const own = claim.signal ?? new AbortController().signal;
  const late = (): Error => new OrielError('TIMEOUT', 'The page had no slot in time.');
  const { signal, stop } = deadlineOf(own, MOST_WAIT_MS, late);
  const slot = queues.calls.acquire({ ...claim, signal, timed: true });
  if (slot instanceof Promise) return slot.finally(stop);
  stop();
  return slot;
}

const isPage = (request: Request): boolean => request.do === 'read' && isWeb(request.target);

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
