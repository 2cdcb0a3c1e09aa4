/** A case of `oriel check`: a search over links that lead outside, and into themselves. */

import type { Case } from '../case.ts';

export const wallSearch: Case = {
  id: 'wall-search',
  law: 'walls',
  title: 'a search over links that lead outside, and into themselves',
  role: 'search',
  prepare(sandbox) {
    sandbox.write('tree/a.txt', 'nothing\n');
    sandbox.link('tree/directory', sandbox.outside);
    sandbox.link('tree/file', `${sandbox.outside}/${sandbox.secretName}`);
    sandbox.link('tree/self', '.');
  },
  async run(server) {
    // Not the secret itself, because an answer may contain the pattern.
    await server.call('search', 'tree', { pattern: 'secret-' });
  },
};
