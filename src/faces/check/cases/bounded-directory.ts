/** A case of `oriel check`: a directory of 3,000 files with long names. */

import type { Case } from '../case.ts';
import { Broken } from '../outcome.ts';
import { shows } from '../server-answer.ts';

export const boundedDirectory: Case = {
  id: 'bounded-directory',
  law: 'bounded',
  title: 'a directory of 3,000 files with long names',
  role: 'list',
  prepare(sandbox) {
    for (let i = 0; i < 3_000; i += 1) sandbox.write(`many/a-file-with-a-name-that-is-long-${i}`, '');
  },
  async run(server) {
    const answer = await server.call('list', 'many');
    if (answer.isError || !shows(answer, 'a-file-with-a-name'))
      throw new Broken('no file of it is listed', { answer });
  },
};
