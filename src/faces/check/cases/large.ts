/** A case of `oriel check`: a text of 400 MB. */

import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Case } from '../case.ts';
import { rows } from '../rows.ts';

const PIECES = 100;

export const large: Case = {
  id: 'large',
  law: 'memory',
  title: 'a text of 400 MB',
  role: 'read',
  prepare(sandbox) {
    const piece = rows(100_000);
    sandbox.write('large.log', '');
    for (let i = 0; i < PIECES; i += 1) appendFileSync(join(sandbox.root, 'large.log'), piece);
  },
  async run(server) {
    await server.call('read', 'large.log');
  },
};
