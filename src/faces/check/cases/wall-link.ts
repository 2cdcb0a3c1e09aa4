/** A case of `oriel check`: a link to a file outside. */

import type { Case } from '../case.ts';
import { expectRefused } from '../laws.ts';

export const wallLink: Case = {
  id: 'wall-link',
  law: 'walls',
  title: 'a link to a file outside',
  role: 'read',
  prepare: (sandbox) => sandbox.link('link', `${sandbox.outside}/${sandbox.secretName}`),
  async run(server) {
    expectRefused(await server.call('read', 'link'));
  },
};
