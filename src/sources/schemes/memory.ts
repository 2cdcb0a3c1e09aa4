/** The scheme `memory://NAME`: notes that outlive sessions, of the project first, then of the user. */

import { join } from 'node:path';
import { userDirectory } from '../../access/user-directories.ts';
import { filesIn, namedScheme } from './named-files.ts';

export const memoryScheme = namedScheme({
  scheme: 'memory',
  /** Both are opened through the roots: with roots set, only what lies inside them is there. */
  places: ({ access }) =>
    [join(access.cwd, '.oriel/memory'), join(userDirectory('data'), 'oriel/memory')].map((directory) => ({
      access,
      directory,
    })),
  names: filesIn,
  paths: (name) => [name, `${name}.md`],
  empty: ([place]) => `no notes. Write them below ${place?.directory}`,
});
