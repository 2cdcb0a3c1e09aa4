/** A case of `oriel check`: one line of 8 MB. */

import type { Case } from '../case.ts';
import { Broken } from '../outcome.ts';

export const boundedLine: Case = {
  id: 'bounded-line',
  law: 'bounded',
  title: 'one line of 8 MB',
  role: 'read',
  prepare: (sandbox) => sandbox.write('line.json', 'x'.repeat(8 << 20)),
  async run(server) {
    const answer = await server.call('read', 'line.json');
    if (!answer.isError && !answer.text.includes('xxxx'))
      throw new Broken('nothing of it is shown', { answer });
  },
};
