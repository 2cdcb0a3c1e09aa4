/** A case of `oriel check`: names of files with escape sequences in a listing. */

import type { Case } from '../case.ts';
import { expectNoControls } from '../laws.ts';
import { Broken } from '../outcome.ts';
import { shows } from '../server-answer.ts';

export const controlNames: Case = {
  id: 'control-names',
  law: 'errors',
  title: 'names of files with escape sequences in a listing',
  role: 'list',
  prepare(sandbox) {
    sandbox.write('names/a\u001b[2Jb', '');
    sandbox.write('names/ordinary', '');
  },
  async run(server) {
    const answer = await server.call('list', 'names');
    expectNoControls(answer);
    if (answer.isError || !shows(answer, 'ordinary'))
      throw new Broken('the directory is not listed', { answer });
  },
};
