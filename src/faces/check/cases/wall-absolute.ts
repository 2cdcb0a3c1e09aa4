/** A case of `oriel check`: absolute paths outside the root. */

import type { Case } from '../case.ts';
import { expectRefused } from '../laws.ts';

export const wallAbsolute: Case = {
  id: 'wall-absolute',
  law: 'walls',
  title: 'absolute paths outside the root',
  role: 'read',
  async run(server, { outside, secretName }) {
    for (const path of [`${outside}/${secretName}`, `file://${outside}/${secretName}`])
      expectRefused(await server.call('read', path, { mayName: true }));
  },
};
