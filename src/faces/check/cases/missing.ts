/** A case of `oriel check`: a file that does not exist. */

import type { Case } from '../case.ts';
import { expectOneLine } from '../laws.ts';

export const missing: Case = {
  id: 'missing',
  law: 'errors',
  title: 'a file that does not exist',
  role: 'read',
  async run(server) {
    expectOneLine(await server.call('read', 'no/such/file.txt'));
  },
};
