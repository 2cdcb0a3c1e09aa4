/** A case of `oriel check`: a pattern that takes a backtracking engine for ever. */

import type { Case } from '../case.ts';

export const slowPattern: Case = {
  id: 'slow-pattern',
  law: 'hangs',
  title: 'a pattern that takes a backtracking engine for ever',
  role: 'search',
  prepare: (sandbox) => sandbox.write('slow/a.txt', `${'a'.repeat(60)}!\n`),
  async run(server) {
    await server.call('search', 'slow', { pattern: '^(a+)+$' });
  },
};
