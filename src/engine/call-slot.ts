/** Chooses the queues in which a call waits for a slot before it begins. */

import { OrielError } from '../errors.ts';
import type { Claim, Slot } from '../queues/queue.ts';
import { queues } from '../queues/queue-table.ts';
import { deadlineOf } from '../queues/deadline.ts';
import { isWeb } from '../sources/web.ts';
import { MOST_WAIT_MS } from '../sources/web/web-limits.ts';
import type { Request } from '../types/request.ts';
import type { CallOptions, Engine, Order } from './open-call.ts';

/** The size of a large answer in bytes; larger answers occur only if a host raises the limits. */
const LARGE_ANSWER = 1 << 20;

/** Acquires the slot of a call. Commands have a queue of their own, because some take hours and must not block reading. */
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

/** For a web page the wait counts towards its timeout, so that it is refused in time if other pages never arrive. */
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
