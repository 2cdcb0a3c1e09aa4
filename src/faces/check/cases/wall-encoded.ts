/** A case of `oriel check`: a path outside the root, written with URL escapes. */

import type { Case } from '../case.ts';
import { expectRefused } from '../laws.ts';

export const wallEncoded: Case = {
  id: 'wall-encoded',
  law: 'walls',
  title: 'a path outside the root behind escapes of URLs',
  role: 'read',
  async run(server, { secretName }) {
    for (const path of [`%2e%2e/outside/${secretName}`, `..%2foutside%2f${secretName}`])
      expectRefused(await server.call('read', path, { mayName: true }));
  },
};
