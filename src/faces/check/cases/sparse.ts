/** A case of `oriel check`: a file of 1 TB that takes no room. */

import type { Case } from '../case.ts';
import { Broken, Skipped } from '../outcome.ts';

export const sparse: Case = {
  id: 'sparse',
  law: 'memory',
  title: 'a file of 1 TB that takes no room',
  role: 'read',
  prepare(sandbox) {
    try {
      sandbox.sparse('sparse', 2 ** 40);
    } catch (cause) {
      throw new Skipped('no file of 1 TB can be made here', { cause });
    }
  },
  async run(server) {
    const answer = await server.call('read', 'sparse');
    const at = answer.text.indexOf('\0');
    if (at !== -1) throw new Broken('NUL bytes are shown as text', { answer, at });
  },
};
