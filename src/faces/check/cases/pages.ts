/** A case of `oriel check`: each page names the next one, and together they show every line once. */

import type { Case } from '../case.ts';
import { Broken } from '../outcome.ts';
import { rows, shownRows } from '../rows.ts';

/** A file of 600 KB. */
const LINES = 15_000;
const MOST_PAGES = 200;

export const pages: Case = {
  id: 'pages',
  law: 'continuation',
  title: 'each page names the next one, and together they show every line once',
  role: 'read',
  prepare: (sandbox) => sandbox.write('rows.txt', rows(LINES)),
  async run(server) {
    let [path, more, shown] = ['rows.txt', {}, 0];
    for (let page = 1; page <= MOST_PAGES; page += 1) {
      const answer = await server.call('read', path, { ...more, anySize: true });
      if (answer.isError)
        throw new Broken(`page ${page} is an error: ${answer.text.slice(0, 200)}`, { answer });
      for (const line of shownRows(answer)) {
        if (line !== shown + 1)
          throw new Broken(`page ${page} shows line ${line} after line ${shown}`, { answer });
        shown = line;
      }
      if (shown === LINES) return;
      const next = server.next('read', 'rows.txt', answer);
      if (!next)
        throw new Broken(`after line ${shown} of ${LINES} no next call is named`, {
          answer,
          at: answer.text.length - 200,
        });
      ({ path, more } = next);
    }
    throw new Broken(`${MOST_PAGES} pages end at line ${shown} of ${LINES}`);
  },
};
