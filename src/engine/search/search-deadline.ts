/** Limits a call to the deadline of a search, so that an unfinished open is abandoned and found matches are shown. */

import { callerOf, waitAs } from '../../queues/caller.ts';
import type { Call } from '../../types/call.ts';
import type { Search } from './search-run.ts';

/** The same call, with a signal that also aborts at the deadline of the search. */
export function untilDeadline(call: Call, { deadline }: Search): Call {
  const left = deadline - performance.now();
  if (!Number.isFinite(left)) return call;
  const late = new AbortController();
  const timer = setTimeout(
    () => late.abort(new Error('the deadline of the search has passed')),
    Math.max(0, left),
  );
  call.onEnd(() => clearTimeout(timer));
  const signal = AbortSignal.any([call.signal, late.signal]);
  waitAs(callerOf(call.signal), signal);
  return call.part({ signal, deadline }).call;
}
