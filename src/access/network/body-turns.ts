/** Response bodies are read in pieces: one piece of all bodies in each turn of the event loop. */

import { createTurns } from '../../queues/turns.ts';

export const nextTurn: () => Promise<void> = createTurns();
