/** Ends the session of a command. What is being read again in the background is waited for: no later call of it would be. */

import type { Session } from '../../types/session.ts';

/** Milliseconds. The answer is on the screen by then. */
const MOST_WAIT_MS = 3_000;

export async function endSession(session: Session, signal: AbortSignal): Promise<void> {
  await session.background.idle(MOST_WAIT_MS, signal);
  await session.close();
}
