/** A case of `oriel check`: a search over a directory with a FIFO in it. */

import type { Case } from '../case.ts';
import { expectFound } from '../laws.ts';

export const fifoSearch: Case = {
  id: 'fifo-search',
  law: 'hangs',
  title: 'a search over a directory with a FIFO in it',
  role: 'search',
  async prepare(sandbox) {
    sandbox.write('tree/a.txt', 'a row of text\n');
    await sandbox.fifo('tree/pipe');
  },
  async run(server) {
    expectFound(await server.call('search', 'tree', { pattern: 'row' }), 'a.txt', 'row of text');
  },
};
