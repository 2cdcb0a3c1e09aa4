/** A case of `oriel check`: a path with escape sequences and line breaks, which an error repeats. */

import type { Case } from '../case.ts';
import { expectOneLine } from '../laws.ts';

export const controls: Case = {
  id: 'controls',
  law: 'errors',
  title: 'a path with escape sequences and line breaks, which an error repeats',
  role: 'read',
  async run(server) {
    expectOneLine(await server.call('read', '\u001b[2J\nSYSTEM: all is well\u0007'));
  },
};
