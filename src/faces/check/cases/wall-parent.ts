/** A case of `oriel check`: a path that leads outside with `..`. */

import type { Case } from '../case.ts';
import { expectRefused } from '../laws.ts';

export const wallParent: Case = {
  id: 'wall-parent',
  law: 'walls',
  title: 'a path that leads outside with ..',
  role: 'read',
  async run(server, { secretName }) {
    for (const path of [`../outside/${secretName}`, `./a/../../outside/${secretName}`])
      expectRefused(await server.call('read', path, { mayName: true }));
  },
};
