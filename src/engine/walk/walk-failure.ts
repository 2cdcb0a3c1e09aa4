/** The error for a search or walk whose thread or process ended before it found anything. */

import { OrielError } from '../../errors.ts';
import type { Gaps } from '../../types/result.ts';

export function walkFailed({ short }: Pick<Gaps, 'short'>): OrielError {
  if (short) {
    const message =
      'The search ended before it was complete, because the process has no free file descriptors.';
    return new OrielError('BUSY', `${message} Make the same call again.`);
  }
  return new OrielError(
    'LIMIT',
    'The search ended before it was complete: one of its processes or threads needed too much memory, or was ended. Narrow the path or the pattern.',
  );
}
