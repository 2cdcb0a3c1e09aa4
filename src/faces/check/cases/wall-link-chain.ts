/** A case of `oriel check`: a chain of links whose last one leads outside. */

import type { Case } from '../case.ts';
import { expectRefused } from '../laws.ts';

export const wallLinkChain: Case = {
  id: 'wall-link-chain',
  law: 'walls',
  title: 'a chain of links whose last one leads outside',
  role: 'read',
  prepare(sandbox) {
    sandbox.link('a', 'b');
    sandbox.link('b', 'c');
    sandbox.link('c', `../outside/${sandbox.secretName}`);
  },
  async run(server) {
    expectRefused(await server.call('read', 'a'));
  },
};
