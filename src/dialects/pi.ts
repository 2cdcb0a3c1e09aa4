/** Owns the `pi` dialect: the tools and the sentences of the pi coding agent. */

import type { Limits } from '../window/types.ts';
import type { Dialect } from './dialect.ts';
import { baseLimits } from './limits.ts';
import { read } from './pi-read.ts';

/** 30KB is what `head -c 30000` gives. */
const BYTES = 30_000;

const limits: Limits = { ...baseLimits, lines: 2000, bytes: BYTES, line: BYTES };

export const pi: Dialect = {
  name: 'pi',
  limits,
  tools: [read],
  departs: [
    { law: 1, tool: 'read', why: 'a line over the byte limit is not shown: its reader is sent to bash' },
    { law: 4, tool: 'read', why: 'the notice about such a line names a command, not a call of read' },
  ],
};
