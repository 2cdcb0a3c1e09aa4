/** The `pi` dialects: the tools and texts of the pi coding agent, as designed (`pi`) and as published (`pi@0.74`). */

import { baseLimits, KIB } from '../limits.ts';
import type { Limits } from '../types/limits.ts';
import type { Departure, Dialect } from './dialect.ts';
import { bash } from './pi-bash.ts';
import { read } from './pi-read.ts';
import { find, grep, ls } from './pi-search.ts';
import { type PiStyle, publishedStyle, seedStyle } from './pi-style.ts';

/** Maximum lines of an answer. */
const LINES = 2000;

/** In `pi`, 30KB are 30,000 bytes. */
export const pi = versionOf('pi', 30_000, seedStyle, []);

/** Because of this the last page of many files is empty. */
const LAST_LINE = 'the empty string behind a final newline is counted as a line';

export const published = versionOf('pi@0.74', 50 * KIB, publishedStyle, [
  { law: 2, tool: 'read', why: LAST_LINE },
  { law: 2, tool: 'bash', why: LAST_LINE },
]);

function versionOf(name: string, bytes: number, style: PiStyle, departs: readonly Departure[]): Dialect {
  const limits: Limits = { ...baseLimits, lines: LINES, bytes, line: bytes };
  return {
    name,
    limits,
    tools: [read, bash, grep, find, ls].map((make) => make(style)),
    departs: [
      { law: 1, tool: 'read', why: 'a line over the byte limit is not shown: its reader is sent to bash' },
      { law: 4, tool: 'read', why: 'the notice about such a line names a command, not a call of read' },
      { law: 4, tool: 'bash', why: 'the notice names the file with the full output, not a window of it' },
      ...['grep', 'find', 'ls'].map((tool) => ({
        law: 4,
        tool,
        why: 'a larger limit begins again, and the notice of the byte limit names no call',
      })),
      ...departs,
    ],
  };
}
