/** The scheme `memory://NAME`: persistent notes, first those of the project, then those of the user. */

import { join } from 'node:path';
import { MEMORY_DIRECTORY, userDirectory } from '../../access/user-directories.ts';
import { accessToUserFiles, filesIn, namedScheme } from './named-files.ts';

export const memoryScheme = namedScheme({
  scheme: 'memory',
  places: (call) => [
    { access: call.access, directory: join(call.access.cwd, '.oriel/memory') },
    { access: accessToUserFiles(call), directory: join(userDirectory('data'), MEMORY_DIRECTORY) },
  ],
  names: filesIn,
  paths: (name) => [name, `${name}.md`],
  empty: ([place]) => `no notes. Write them below ${place?.directory}`,
});
