/** A case of `oriel check`: eight concurrent reads of FIFOs, and a small read after them. */

import type { Case } from '../case.ts';

const COUNT = 8;

export const eightFifos: Case = {
  id: 'eight-fifos',
  law: 'hangs',
  title: 'eight FIFOs at once, and a small read behind them',
  role: 'read',
  async prepare(sandbox) {
    for (let i = 0; i < COUNT; i += 1) await sandbox.fifo(`pipe-${i}`);
  },
  async run(server) {
    await Promise.all(Array.from({ length: COUNT }, (_, i) => server.call('read', `pipe-${i}`)));
  },
};
