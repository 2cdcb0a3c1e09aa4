/** A call whose work ends when looking does: what it was opening is given up, and what was found by then is answered. */

import { callerOf, waitAs } from '../../queues/caller.ts';
import { sourceFor } from '../../sources/table.ts';
import type { Call } from '../../types/call.ts';
import type { Search } from './search-run.ts';

/** The same call, which ends when looking does. */
export function untilLate(call: Call, { deadline }: Search): Call {
  const left = deadline - performance.now();
  if (!Number.isFinite(left)) return call;
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new Error('the time for looking is over')), Math.max(0, left));
  call.onEnd(() => clearTimeout(timer));
  const signal = AbortSignal.any([call.signal, late.signal]);
  waitAs(callerOf(call.signal), signal);
  return withSignal(call, signal, deadline);
}

function withSignal(call: Call, signal: AbortSignal, deadline: number): Call {
  const limited: Call = {
    ...call,
    signal,
    deadline,
    open: (subject) => sourceFor(subject, undefined).open(subject, limited),
    part() {
      const part = call.part();
      return { ...part, call: withSignal(part.call, signal, deadline) };
    },
  };
  return limited;
}
