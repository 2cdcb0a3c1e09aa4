/** A case of `oriel check`: a search that hits 20,000 lines, and one of 8 MB. */

import type { Case } from '../case.ts';
import { rows } from '../rows.ts';

export const boundedSearch: Case = {
  id: 'bounded-search',
  law: 'bounded',
  title: 'a search that hits 20,000 lines, and one of 8 MB',
  role: 'search',
  prepare(sandbox) {
    sandbox.write('hits/rows.txt', rows(20_000));
    sandbox.write('hits/line.json', `row${'x'.repeat(8 << 20)}`);
  },
  async run(server) {
    await server.call('search', 'hits', { pattern: 'row' });
  },
};
