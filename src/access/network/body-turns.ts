/** Limits reading of response bodies to one piece, of all bodies together, in each turn of the event loop. */

import { createTurns } from '../../queues/turns.ts';

export const nextTurn: () => Promise<void> = createTurns();
