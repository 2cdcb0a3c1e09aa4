/** The error for a search or walk whose thread or process ended before it found anything. */

import { OrielError } from '../../errors.ts';

export function walkFailed(cause?: unknown): OrielError {
  return new OrielError(
    'LIMIT',
    'The search ended before it was complete: one of its processes or threads needed too much memory, or was ended. Narrow the path or the pattern.',
    { cause },
  );
}
