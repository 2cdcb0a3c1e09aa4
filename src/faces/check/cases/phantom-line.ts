/** A case of `oriel check`: a file of three lines is said to have three, not four. */

import type { Case } from '../case.ts';
import { Broken } from '../outcome.ts';
import { row, rows, shownRows } from '../rows.ts';

export const phantomLine: Case = {
  id: 'phantom-line',
  law: 'lines',
  title: 'a file of three lines is said to have three, not four',
  role: 'read',
  prepare: (sandbox) => sandbox.write('three.txt', rows(3)),
  async run(server) {
    const answer = await server.call('read', 'three.txt');
    if (shownRows(answer).join(' ') !== '1 2 3')
      throw new Broken('not all three lines are shown', { answer });
    const rest = answer.text.replaceAll(row(1), '').replaceAll(row(2), '').replaceAll(row(3), '');
    if (/\b4\b(?=.{0,20}\blines\b)|\blines\b.{0,20}\b4\b/i.test(rest))
      throw new Broken('a fourth line is counted', { answer });
  },
};
