/** A case of `oriel check`: an endless device, by its name and through a link. */

import type { Case } from '../case.ts';
import { expectRefused } from '../laws.ts';

export const device: Case = {
  id: 'device',
  law: 'hangs',
  title: 'a device without end, named and behind a link',
  role: 'read',
  prepare: (sandbox) => sandbox.link('zero', '/dev/zero'),
  async run(server) {
    for (const path of ['zero', '/dev/zero']) expectRefused(await server.call('read', path));
  },
};
