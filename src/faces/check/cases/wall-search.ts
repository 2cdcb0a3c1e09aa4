/** A case of `oriel check`: a search over links that lead outside, and into themselves. */

import type { Case } from '../case.ts';
import { expectFound } from '../laws.ts';

export const wallSearch: Case = {
  id: 'wall-search',
  law: 'walls',
  title: 'a search over links that lead outside, and into themselves',
  role: 'search',
  prepare(sandbox) {
    sandbox.write('tree/a.txt', 'no secret-word at all\n');
    sandbox.link('tree/directory', sandbox.outside);
    sandbox.link('tree/file', `${sandbox.outside}/${sandbox.secretName}`);
    sandbox.link('tree/self', '.');
  },
  async run(server) {
    // Not the secret itself, because an answer may contain the pattern.
    const answer = await server.call('search', 'tree', { pattern: 'secret-' });
    expectFound(answer, 'a.txt', 'secret-word');
  },
};
