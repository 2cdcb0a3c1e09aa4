/** The failures of conversions, as clauses that complete "Cannot read .pdf file: ". */

import { MIB, MOST_MS, MOST_REPLY, mostMemory } from './document-limits.ts';
import type { Want } from './document-protocol.ts';

type Failure = readonly ['LIMIT' | 'CORRUPT', string];

const FAILURES: Readonly<Record<string, (stored: number, want: Want) => Failure>> = {
  crashed: () => ['CORRUPT', 'its converter crashed on it, so it is probably damaged'],
  slow: () => ['LIMIT', `converting it takes longer than ${MOST_MS / 1000} seconds`],
  memory: (stored, want) => [
    'LIMIT',
    `converting it takes more than the ${mostMemory(stored, want) / MIB} MiB of memory allowed`,
  ],
  output: () => ['LIMIT', `it converts to more than ${MOST_REPLY / MIB} MiB`],
  worker: () => ['LIMIT', 'every worker that converted it ended; it is tried again after 10 minutes'],
};

/** The failure of converting a document of `stored` bytes; undefined if the cause is not the document. */
export function failureOf(why: string, stored: number, want: Want): Failure | undefined {
  return Object.hasOwn(FAILURES, why) ? FAILURES[why]?.(stored, want) : undefined;
}
