/** Owns the `zdx` dialect: pure content and facts in the fields of one JSON envelope. */

import type { Dialect } from './dialect.ts';
import { read, zdxLimits } from './zdx-read.ts';

export const zdx: Dialect = {
  name: 'zdx',
  limits: zdxLimits,
  tools: [read],
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
    { law: 7, tool: 'read', why: 'content is an unchanged slice of the text: nothing in it is escaped' },
  ],
};
