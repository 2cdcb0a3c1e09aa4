/** A case of `oriel check`: a file reached through a link to a directory outside. */

import type { Case } from '../case.ts';
import { expectRefused } from '../laws.ts';

export const wallDirectoryLink: Case = {
  id: 'wall-directory-link',
  law: 'walls',
  title: 'a file behind a link to a directory outside',
  role: 'read',
  prepare: (sandbox) => sandbox.link('directory', sandbox.outside),
  async run(server, { secretName }) {
    expectRefused(await server.call('read', `directory/${secretName}`, { mayName: true }));
  },
};
