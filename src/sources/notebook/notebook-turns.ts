/** Turns of the event loop for notebooks: of all that are read, one piece in each turn. */

import { createTurns } from '../../queues/turns.ts';

export const nextTurn: () => Promise<void> = createTurns();
