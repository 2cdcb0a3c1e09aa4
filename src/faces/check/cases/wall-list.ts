/** A case of `oriel check`: listing a directory outside, through a link and with `..`. */

import type { Case } from '../case.ts';
import { expectRefused } from '../laws.ts';

export const wallList: Case = {
  id: 'wall-list',
  law: 'walls',
  title: 'listing outside: a link to a directory, and ..',
  role: 'list',
  prepare: (sandbox) => sandbox.link('directory', sandbox.outside),
  async run(server, { outside }) {
    for (const path of ['directory', '../outside', outside]) expectRefused(await server.call('list', path));
  },
};
