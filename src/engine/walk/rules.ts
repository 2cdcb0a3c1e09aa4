/** Owns which files a walk sees: hidden ones too, what `.gitignore` leaves out not, and `.git` never. */

import { dirname } from 'node:path';
import { exists } from '../../access/exists.ts';
import { within } from '../../access/paths.ts';
import type { Access } from '../../types/access.ts';

const RULES = ['--hidden', '--glob=!.git'];

/**
 * The flags for a walk from `dir` (absolute, real). Inside a repository its ignore files count, from its root down.
 * Elsewhere `.gitignore` counts all the same, but not above the folder that is worked in, or a root: what lies in
 * somebody's home is no business of ours.
 */
export async function walkFlags(dir: string, access: Access): Promise<string[]> {
  if (await isInRepository(dir, access)) return RULES;
  const tops = access.roots.length > 0 ? access.roots : [await realPath(access.cwd, access)];
  const below = tops.some((top) => dir !== top && within(dir, top));
  return [...RULES, '--no-require-git', ...(below ? [] : ['--no-ignore-parent'])];
}

/** With roots, only a repository that lies inside them is seen. */
async function isInRepository(dir: string, access: Access): Promise<boolean> {
  for (let at = dir; ; at = dirname(at)) {
    if (await exists(at === '/' ? '/.git' : `${at}/.git`, access)) return true;
    if (at === dirname(at)) return false;
  }
}

async function realPath(path: string, access: Access): Promise<string> {
  const opened = await access.open(path).catch(() => undefined);
  await opened?.close();
  return opened?.path ?? path;
}
