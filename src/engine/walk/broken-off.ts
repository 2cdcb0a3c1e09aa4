/** The error of a search or walk that ended otherwise than well before it found anything. */

import { OrielError } from '../../errors.ts';

export function brokenOff(cause?: unknown): OrielError {
  return new OrielError(
    'LIMIT',
    'The search ended before it was complete: a process or thread of it needed too much, or was ended. Narrow the path or the pattern.',
    { cause },
  );
}
