/** Cooperative scheduling for reading notebooks in pieces of a few milliseconds. */

import { createTurns } from '../../queues/turns.ts';

export const nextTurn: () => Promise<void> = createTurns();
