/** A case of `oriel check`: a pattern that takes a backtracking engine for ever. */

import type { Case } from '../case.ts';
import { Skipped } from '../outcome.ts';
import { shows } from '../server-answer.ts';

const PATTERN = '^(a+)+$';

export const slowPattern: Case = {
  id: 'slow-pattern',
  law: 'hangs',
  title: 'a pattern that takes a backtracking engine for ever',
  role: 'search',
  prepare(sandbox) {
    sandbox.write('quick/match.txt', 'aaaa');
    sandbox.write('slow/a.txt', `${'a'.repeat(60)}!\n`);
  },
  async run(server) {
    const quick = await server.call('search', 'quick', { pattern: PATTERN });
    // A refusal of the pattern is safe too.
    if (!quick.isError && !shows(quick, 'match.txt', 'aaaa'))
      throw new Skipped('its search takes no regular expressions');
    await server.call('search', 'slow', { pattern: PATTERN });
  },
};
