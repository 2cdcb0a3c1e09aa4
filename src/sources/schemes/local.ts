/** The scheme `local://NAME`: files in the scratch directory of the session, where commands may write them. */

import { join } from 'node:path';
import { createAccess } from '../../access/local.ts';
import { OrielError } from '../../errors.ts';
import type { Call } from '../../types/call.ts';
import type { SpillStore } from '../../types/session.ts';
import { filesIn, namedScheme, type Place } from './named-files.ts';

export const localScheme = namedScheme({
  scheme: 'local',
  places: (call) => [placeOf(call)],
  names: filesIn,
  empty: ([place]) => `empty. Files in ${place?.directory} are read as local://NAME`,
});

/** Opened once per session, so that another directory that replaces it later is not entered. */
const places = new WeakMap<SpillStore, Place>();

/** A place with its own access: it is outside the roots of the session, and gives access to nothing else. */
function placeOf({ session: { spills } }: Call): Place {
  const directory = join(spills.directory, 'local');
  const known = places.get(spills);
  if (known?.directory === directory) return known;
  const made = newPlace(spills, directory);
  places.set(spills, made);
  return made;
}

function newPlace(spills: SpillStore, directory: string): Place {
  try {
    spills.local();
    const session = createAccess({ cwd: spills.directory, roots: [spills.directory], allow: [] });
    const access = createAccess({ cwd: directory, roots: [directory], allow: [] });
    if (access.roots[0] === join(session.roots[0] as string, 'local')) return { access, directory };
  } catch (cause) {
    throw gone(cause);
  }
  throw gone();
}

function gone(cause?: unknown): OrielError {
  const message = 'The scratch directory of local:// was replaced by something else. Use another session.';
  return new OrielError('DENIED', message, { cause });
}
