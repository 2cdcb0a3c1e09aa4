/** A case of `oriel check`: lines of a file that does not fit are shown whole. */

import type { Case } from '../case.ts';
import { Broken } from '../outcome.ts';
import { expectWholeRows, rows, shownRows } from '../rows.ts';

export const wholeLines: Case = {
  id: 'whole-lines',
  law: 'lines',
  title: 'lines of a file that does not fit are shown whole',
  role: 'read',
  prepare: (sandbox) => sandbox.write('rows.txt', rows(20_000)),
  async run(server) {
    const answer = await server.call('read', 'rows.txt', { anySize: true });
    if (shownRows(answer).length === 0) throw new Broken('no line of it is shown', { answer });
    expectWholeRows(answer);
  },
};
