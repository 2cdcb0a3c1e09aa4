/** Indexes are made, and looked through, in pieces of a few milliseconds: of all indexes one in each turn of the event loop. */

import { createTurns } from '../../queues/turns.ts';

export const nextTurn: () => Promise<void> = createTurns();
