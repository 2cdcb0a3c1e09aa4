/** Cooperative scheduling for building and searching indexes, in pieces of a few milliseconds. */

import { createTurns } from '../../queues/turns.ts';

export const nextTurn: () => Promise<void> = createTurns();
