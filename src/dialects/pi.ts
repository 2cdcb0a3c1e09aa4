/** The `pi` dialect: the tools and the sentences of the pi coding agent. */

import { baseLimits } from '../limits.ts';
import type { Limits } from '../types/limits.ts';
import type { Dialect } from './dialect.ts';
import { bash } from './pi-bash.ts';
import { read } from './pi-read.ts';
import { find, grep, ls } from './pi-search.ts';

/** 30KB is what `head -c 30000` gives. */
const BYTES = 30_000;

const limits: Limits = { ...baseLimits, lines: 2000, bytes: BYTES, line: BYTES };

export const pi: Dialect = {
  name: 'pi',
  limits,
  tools: [read, bash, grep, find, ls],
  departs: [
    { law: 1, tool: 'read', why: 'a line over the byte limit is not shown: its reader is sent to bash' },
    { law: 4, tool: 'read', why: 'the notice about such a line names a command, not a call of read' },
    { law: 4, tool: 'bash', why: 'the notice names the file with the full output, not a window of it' },
    ...['grep', 'find', 'ls'].map((name) => ({
      law: 4,
      tool: name,
      why: 'a larger limit begins again, and the notice of the byte limit names no call',
    })),
  ],
};
