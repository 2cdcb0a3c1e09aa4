/** Bodies are taken in pieces, of all bodies together one in each turn of the event loop. */

import { createTurns } from '../../queues/turns.ts';

export const nextTurn: () => Promise<void> = createTurns();
