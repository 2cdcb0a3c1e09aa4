/** Owns the `zdx` dialect: pure content and facts in the fields of one JSON envelope. */

import type { Dialect } from './dialect.ts';
import { bash } from './zdx-bash.ts';
import { read, zdxLimits } from './zdx-read.ts';

export const zdx: Dialect = {
  name: 'zdx',
  limits: zdxLimits,
  tools: [read, bash],
  departs: [
    {
      law: 1,
      tool: 'read',
      why: 'a line over 500 characters is cut without a word; max_line_length lifts that',
    },
    {
      law: 4,
      tool: 'read',
      why: 'what follows is told by truncated, offset and lines_shown, not by a notice',
    },
    { law: 1, tool: 'bash', why: 'a stream is cut after its last whole character, not after a whole line' },
    { law: 4, tool: 'bash', why: 'what was cut is told by fields, which name the file that holds all of it' },
    { law: 7, tool: 'bash', why: 'stdout and stderr are unchanged: nothing in them is escaped' },
    { law: 7, tool: 'read', why: 'content is an unchanged slice of the text: nothing in it is escaped' },
  ],
};
