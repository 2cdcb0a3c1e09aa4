/** The listings of `ws://`: all workspaces with their state, and pages of a directory. */

import { isOrielError } from '../../errors.ts';
import { oneLine } from '../../text/visible.ts';
import type { Call } from '../../types/call.ts';
import type { Resource, TextResource } from '../../types/resource.ts';
import type { Settings } from '../../types/settings.ts';
import type { WorkspaceFiles } from '../../types/workspace.ts';
import { listOf } from '../schemes/name-lists.ts';
import { textListing } from '../text-listing.ts';

/** A path in a workspace. */
export interface InWorkspace {
  readonly name: string;
  readonly files: WorkspaceFiles;
  /** Relative to its working directory, or absolute; empty for that directory. */
  readonly path: string;
  /** The selector after the path, without the colon. */
  readonly rest: string;
}

/** Entries per page. */
const PAGE = 500;

/** The most workspaces whose state is checked for one list. */
const MOST_CHECKED = 100;

type Workspaces = Settings['workspaces'];

/** The sorted names of the workspaces that `ws://` can read. */
export function namesOf(workspaces: Workspaces): string[] {
  return Object.keys(workspaces)
    .filter((name) => workspaces[name]?.files !== undefined)
    .sort();
}

/** Lists the workspaces with the address of their server, and whether it answers. */
export async function listWorkspaces(rest: string, workspaces: Workspaces, call: Call): Promise<Resource> {
  const names = await Promise.all(
    namesOf(workspaces).map(async (name, i) => {
      const files = workspaces[name]?.files as WorkspaceFiles;
      const state = i < MOST_CHECKED ? await stateOf(files, call) : '';
      return { name: `${name}/`, about: `${files.origin}${state}` };
    }),
  );
  return listOf('ws', rest, { names, more: false }, 'no workspaces');
}

async function stateOf(files: WorkspaceFiles, { signal }: Call): Promise<string> {
  try {
    await files.check(signal);
    return '  answers';
  } catch (error) {
    signal.throwIfAborted();
    if (!isOrielError(error)) throw error;
    return `  ${error.code}`;
  }
}

/** A page of a directory, from entry `offset` (0-based) on. */
export async function listDirectory(
  { name, files, path, rest }: InWorkspace,
  offset: number,
  { signal }: Call,
): Promise<TextResource> {
  const { entries, total, next } = await files.listDirectory({ path, offset, limit: PAGE, signal });
  const front = `ws://${name}/${path}`;
  const target = offset === 0 ? front : `${front}?offset=${offset}`;
  const lines = entries.map(({ name: entry, type }) => oneLine(entry) + (MARKS[type] ?? ''));
  const none = offset === 0 ? '(empty directory)' : '(no further entries)';
  const use = `${front}?offset=${next}`;
  return {
    ...(await textListing(lines.length === 0 ? [none] : lines, target, rest)),
    facts: { workspace: name, server: files.origin, entries: entries.length, total },
    ...(next !== undefined && {
      more: {
        kind: 'said',
        text: `Showing ${entries.length} of ${total} entries. Use ${use} to continue`,
        use,
      },
    }),
  };
}

/** The marks after entries, as in other listings; none for files. */
const MARKS: Readonly<Record<string, string>> = {
  directory: '/',
  link: '@',
  fifo: '  (fifo)',
  socket: '  (socket)',
  device: '  (device)',
};
