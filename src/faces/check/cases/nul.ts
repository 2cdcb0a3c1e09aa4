/** A case of `oriel check`: a path with a NUL byte. */

import type { Case } from '../case.ts';
import { expectOneLine } from '../laws.ts';

export const nul: Case = {
  id: 'nul',
  law: 'errors',
  title: 'a path with a NUL byte',
  role: 'read',
  async run(server) {
    expectOneLine(await server.call('read', 'plain.txt\0.png'));
  },
};
