/** The scheme `rule://NAME`: the instructions that a project gives to agents. */

import { join } from 'node:path';
import type { Call } from '../../types/call.ts';
import type { Names } from './name-lists.ts';
import { filesIn, namedScheme, openListed, type Place } from './named-files.ts';

/** The files and directories of rules, in the order of precedence. */
const FILES = ['AGENTS.md', 'CLAUDE.md'];
const DIRECTORIES = ['.agents/rules', '.cursor/rules'];
const ENDINGS = ['', '.md', '.mdc'];

export const ruleScheme = namedScheme({
  scheme: 'rule',
  places: ({ access }) => [{ access, directory: access.cwd }],
  names: rulesIn,
  /** Only rules can be named, not every file of the project. */
  paths(name) {
    const files = FILES.filter((file) => file === name || file === `${name}.md`);
    const below = DIRECTORIES.flatMap((directory) =>
      ENDINGS.map((ending) => `${directory}/${name}${ending}`),
    );
    return name === '' ? [] : [...files, ...below];
  },
  empty: () => `no rules in ${[...FILES, ...DIRECTORIES].join(', ')}`,
});

async function rulesIn([project]: readonly Place[], call: Call): Promise<Names> {
  if (!project) return { names: [], more: false };
  const { access, directory } = project;
  const top: string[] = [];
  for (const name of FILES) {
    const opened = await openListed(project, name, call);
    if (opened?.is === 'file') top.push(name);
    await opened?.close();
  }
  const below = await filesIn(
    DIRECTORIES.map((rules) => ({ access, directory: join(directory, rules) })),
    call,
  );
  const rules = below.names.map(({ name }) => name).filter((name) => /\.mdc?$/.test(name));
  return { names: [...new Set([...top, ...rules])].map((name) => ({ name })), more: below.more };
}
