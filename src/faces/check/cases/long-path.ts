/** A case of `oriel check`: a path of 100,000 characters. */

import type { Case } from '../case.ts';
import { expectOneLine } from '../laws.ts';

export const longPath: Case = {
  id: 'long-path',
  law: 'errors',
  title: 'a path of 100,000 characters',
  role: 'read',
  async run(server) {
    expectOneLine(await server.call('read', 'a/'.repeat(50_000)));
  },
};
