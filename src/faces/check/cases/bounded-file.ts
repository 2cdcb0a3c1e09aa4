/** A case of `oriel check`: a file of 4 MB. */

import type { Case } from '../case.ts';
import { Broken } from '../outcome.ts';
import { rows, shownRows } from '../rows.ts';

const LINES = 100_000;

export const boundedFile: Case = {
  id: 'bounded-file',
  law: 'bounded',
  title: 'a file of 4 MB',
  role: 'read',
  prepare: (sandbox) => sandbox.write('rows.txt', rows(LINES)),
  async run(server) {
    const answer = await server.call('read', 'rows.txt');
    if (answer.isError) throw new Broken('the file is refused', { answer });
    if (shownRows(answer).length === 0) throw new Broken('no line of it is shown', { answer });
  },
};
