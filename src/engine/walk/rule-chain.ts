/** Opens a directory's parents, inside the roots, whose ignore files may apply to it. */

import { dirname } from 'node:path';
import { isFault } from '../../access/system-failure.ts';
import { within } from '../../access/paths.ts';
import { isOrielError } from '../../errors.ts';
import type { Access, Opened, OpenedDirectory } from '../../types/access.ts';

export interface Chain {
  /** From the outermost down to the directory itself. */
  readonly directories: readonly OpenedDirectory[];
  /** The index of the first directory whose rules apply if none of them is a repository. */
  readonly top: number;
  /** Whether a parent could not be read because of a failure of the machine, so that rules may be missing. */
  readonly isCut: boolean;
  /** Closes all directories except the given one. */
  close(): Promise<void>;
}

/**
 * With roots, the chain begins at the root that contains the directory; directories above it are not read. The rules of a
 * repository apply from its root down. Without a repository, rules apply from the root down, or from the working directory
 * if that is above the directory.
 *
 * Throws `BUSY` if descriptors have run out, because a search without its rules would show ignored files.
 */
export async function openChain(directory: OpenedDirectory, access: Access): Promise<Chain> {
  const above: OpenedDirectory[] = [];
  let isCut = false;
  const close = async (): Promise<void> => {
    for (const one of above) await one.close();
  };
  try {
    for (let at = directory.path; dirname(at) !== at && mayRise(at, access);) {
      at = dirname(at);
      const opened = await openIfAllowed(access, at, () => (isCut = true));
      if (opened?.is !== 'directory') {
        await opened?.close();
        break;
      }
      above.unshift(opened);
    }
    const directories = [...above, directory];
    return { directories, top: await topOf(directories, access), isCut, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Undefined if the path does not exist or may not be read, and after a failure of the machine, which calls `onFault`. */
async function openIfAllowed(
  access: Access,
  path: string,
  onFault: () => void = () => undefined,
): Promise<Opened | undefined> {
  try {
    return await access.open(path);
  } catch (error) {
    if (isOrielError(error) && error.code === 'BUSY') throw error;
    if (isFault(error)) onFault();
    return undefined;
  }
}

async function topOf(directories: readonly OpenedDirectory[], access: Access): Promise<number> {
  if (access.roots.length > 0) return 0;
  const opened = await openIfAllowed(access, access.cwd);
  await opened?.close();
  const top = directories.findIndex(({ path }) => path === opened?.path);
  return top === -1 ? directories.length - 1 : top;
}

function mayRise(path: string, { roots }: Access): boolean {
  return roots.length === 0 || roots.some((root) => path !== root && within(path, root));
}
