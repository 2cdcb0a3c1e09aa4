/** The scheme `skill://NAME[/file]`: Agent Skills of the project and the user. Each is a directory with a SKILL.md. */

import { join } from 'node:path';
import { headOf } from '../../access/bytes.ts';
import { SKILL_DIRECTORIES, userDirectory } from '../../access/user-directories.ts';
import type { Access } from '../../types/access.ts';
import type { Call } from '../../types/call.ts';
import { byName, type Named, type Names } from './name-lists.ts';
import {
  accessToUserFiles,
  filesIn,
  hiddenByRoots,
  inDirectory,
  namedScheme,
  openListed,
  type Place,
} from './named-files.ts';

/** The most skills whose descriptions are read for one list. */
const MOST_SKILLS = 500;

export const skillScheme = namedScheme({
  scheme: 'skill',
  /** Skills of the project take precedence. */
  places: (call) => [
    ...placesBelow(call.access.cwd, call.access),
    ...placesBelow(userDirectory('home'), accessToUserFiles(call)),
  ],
  names: skillsIn,
  paths(name) {
    const skill = name.replace(/\/$/, '');
    return skill.includes('/') ? [name] : [`${skill}/SKILL.md`];
  },
  within: filesOfSkill,
  empty: (_, call) => `no skills in ${SKILL_DIRECTORIES.join(' or ')}${hiddenByRoots(call)}`,
});

function placesBelow(parent: string, access: Access): readonly Place[] {
  return SKILL_DIRECTORIES.map((directory) => ({ access, directory: join(parent, directory) }));
}

/** The files of the skill that a name begins with. */
async function filesOfSkill(name: string, places: readonly Place[], call: Call): Promise<Names | undefined> {
  const [, skill] = /^([^/:]+)\/[^/]/.exec(name) ?? [];
  if (skill === undefined || skill.startsWith('.')) return undefined;
  const inside = places.map(({ access, directory }) => ({ access, directory: join(directory, skill) }));
  const { names, more } = await filesIn(inside, call);
  return names.length === 0
    ? undefined
    : { names: names.map((one) => ({ name: `${skill}/${one.name}` })), more };
}

async function skillsIn(places: readonly Place[], call: Call): Promise<Names> {
  const skills = new Map<string, Named>();
  let more = false;
  for (const place of places) {
    await inDirectory(place, call, async (directory) => {
      const listed = await directory.list(MOST_SKILLS, call.signal);
      more ||= listed.more;
      const entries = listed.entries.filter(({ type }) => type === 'directory' || type === 'link');
      for (const { name } of entries.sort(byName)) {
        if (skills.has(name)) continue;
        const about = await descriptionOf(place, name, call);
        if (about !== undefined) skills.set(name, { name, ...(about !== '' && { about }) });
      }
    });
  }
  return { names: [...skills.values()].sort(byName), more };
}

/** The `description` in the front matter of SKILL.md, as one line; undefined if there is no such file. */
async function descriptionOf(place: Place, name: string, call: Call): Promise<string | undefined> {
  const opened = await openListed(place, join(name, 'SKILL.md'), call);
  try {
    if (opened?.is !== 'file') return undefined;
    const head = new TextDecoder().decode(await headOf(opened.bytes, call.signal));
    const matter = /^---\r?\n([\s\S]*?)\n---/.exec(head)?.[1] ?? '';
    const [, block, first = '', others = ''] =
      /^description:[ \t]*([>|][+-]?)?[ \t]*(.*)((?:\r?\n(?:[ \t]+.*|(?=\r?\n)))*)/m.exec(matter) ?? [];
    const value = block === undefined && first === '' && others === '' ? '' : `${first} ${others}`;
    return value
      .replace(/\s+/g, ' ')
      .trim()
      .replace(/^(["'])(.*)\1$/, '$2');
  } finally {
    await opened?.close();
  }
}
