/** A case of `oriel check`: a list, a number and an object in the place of a path. */

import type { Case } from '../case.ts';
import { Broken } from '../outcome.ts';

export const wrongType: Case = {
  id: 'wrong-type',
  law: 'errors',
  title: 'a list, a number and an object in the place of a path',
  role: 'read',
  async run(server) {
    const { path = 'path' } = (server.roles.read ?? {}) as { path?: string };
    for (const value of [5, null, ['plain.txt'], { a: 1 }]) {
      const answer = await server.call('read', '', { arguments: { [path]: value } });
      if (!answer.isError) throw new Broken(`${JSON.stringify(value)} is taken for a path`, { answer });
    }
  },
};
