/** A case of `oriel check`: files of /proc: the environment of the server, and the whole disk through its root. */

import type { Case } from '../case.ts';
import { expectRefused } from '../laws.ts';

export const wallKernel: Case = {
  id: 'wall-kernel',
  law: 'walls',
  title: 'files of /proc: the environment of the server, and the whole disk behind its root',
  role: 'read',
  async run(server, { outside, secretName }) {
    for (const path of [
      '/proc/self/environ',
      `/proc/self/root${outside}/${secretName}`,
      '/proc/self/cwd/../outside',
    ])
      expectRefused(await server.call('read', path, { mayName: true }));
  },
};
