/** A case of `oriel check`: names of files with escape sequences in a listing. */

import type { Case } from '../case.ts';
import { expectNoControls } from '../laws.ts';

export const controlNames: Case = {
  id: 'control-names',
  law: 'errors',
  title: 'names of files with escape sequences in a listing',
  role: 'list',
  prepare: (sandbox) => sandbox.write('names/a\u001b[2Jb', ''),
  async run(server) {
    expectNoControls(await server.call('list', 'names'));
  },
};
