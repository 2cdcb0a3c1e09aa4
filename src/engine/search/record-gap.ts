/** Which errors of a part of a search make it incomplete, and which end it. */

import { isDiskFull, isFault } from '../../access/system-failure.ts';
import { type ErrorCode, isOrielError } from '../../errors.ts';
import type { Call } from '../../types/call.ts';
import type { GapsSeen } from '../walk/gaps.ts';

/** Errors that are recorded as gaps. A file that is gone or is not a text is not a gap. */
const UNREAD: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'BUSY',
  'CORRUPT',
  'ENCRYPTED',
  'LIMIT',
  'TIMEOUT',
  'UNSUPPORTED',
]);

/**
 * Records a part that cannot be searched because of its content; `name` is the shown name. Rethrows errors that end the
 * call, and failures of the machine.
 */
export function recordGap(
  error: unknown,
  name: string,
  { gaps }: { readonly gaps: GapsSeen },
  { signal }: Call,
): void {
  signal.throwIfAborted();
  if (!isOrielError(error) || isFault(error)) throw error;
  if (UNREAD.has(error.code)) gaps.leaveUnread(name);
  gaps.full ||= isDiskFull(error);
  gaps.denied ||= error.code === 'DENIED';
}
