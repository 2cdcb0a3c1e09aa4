/** A case of `oriel check`: a search that hits 20,000 lines, and one of 8 MB. */

import type { Case } from '../case.ts';
import { expectFound } from '../laws.ts';
import { rows } from '../rows.ts';

export const boundedSearch: Case = {
  id: 'bounded-search',
  law: 'bounded',
  title: 'a search that hits 20,000 lines, and one of 8 MB',
  role: 'search',
  prepare(sandbox) {
    sandbox.write('hits/many.txt', rows(20_000));
    sandbox.write('hits/line.json', `row${'x'.repeat(8 << 20)}`);
  },
  async run(server) {
    // Neither name contains the pattern, which the answer may repeat.
    expectFound(await server.call('search', 'hits', { pattern: 'row' }), 'many.txt', 'line.json', 'row-0');
  },
};
