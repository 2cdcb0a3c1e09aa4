/** A timeout for a whole request, also if its bytes arrive slowly. */

import { startTimer } from '../../access/timer.ts';
import { OrielError } from '../../errors.ts';
import { withOthers } from '../../queues/caller.ts';
import { quote } from '../../text/visible.ts';
import { objectLimits } from './object-limits.ts';

/** `name`: that of the object, as it is called in a path. Throws `TIMEOUT`, and what `act` throws. */
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
