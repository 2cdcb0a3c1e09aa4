/**
 * Ends the session of a command. It waits for background refreshes, because no later call of this process
 * will use them.
 */

import type { Session } from '../../types/session.ts';

/** Maximum milliseconds to wait. The answer has been printed before. */
const MOST_WAIT_MS = 3_000;

export async function endSession(session: Session, signal: AbortSignal): Promise<void> {
  await session.background.idle(MOST_WAIT_MS, signal);
  await session.close();
}
