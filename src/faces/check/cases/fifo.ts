/** A case of `oriel check`: a FIFO that nobody writes to. */

import type { Case } from '../case.ts';
import { expectOneLine } from '../laws.ts';

export const fifo: Case = {
  id: 'fifo',
  law: 'hangs',
  title: 'a FIFO that nobody writes to',
  role: 'read',
  prepare: (sandbox) => sandbox.fifo('pipe'),
  async run(server) {
    expectOneLine(await server.call('read', 'pipe'));
  },
};
