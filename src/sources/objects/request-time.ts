/** A timeout for a complete request, even if bytes keep arriving slowly. */

import { startTimer } from '../../access/timer.ts';
import { OrielError } from '../../errors.ts';
import { withOthers } from '../../queues/caller.ts';
import { quote } from '../../text/visible.ts';
import { objectLimits } from './object-limits.ts';

/** `name` is the form of the object in paths. Throws `TIMEOUT`, and the errors of `act`. */
export async function withinTime<T>(
  { name, signal }: { readonly name: string; readonly signal: AbortSignal },
  act: (until: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = new AbortController();
  const seconds = objectLimits.requestMs / 1000;
  const stop = startTimer(objectLimits.requestMs, () =>
    late.abort(
      new OrielError(
        'TIMEOUT',
        `The server of ${quote(name)} took longer than ${seconds} seconds. Use the same call later.`,
      ),
    ),
  );
  try {
    return await act(withOthers(signal, late.signal));
  } finally {
    stop();
  }
}
