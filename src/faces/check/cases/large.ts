/** A case of `oriel check`: a text of 400 MB. */

import type { Case } from '../case.ts';
import { rows } from '../rows.ts';

const PIECES = 100;

export const large: Case = {
  id: 'large',
  law: 'memory',
  title: 'a text of 400 MB',
  role: 'read',
  prepare: (sandbox) => sandbox.write('large.log', rows(100_000), PIECES),
  async run(server) {
    await server.call('read', 'large.log');
  },
};
