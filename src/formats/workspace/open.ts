/**
 * Opens `ws://NAME/path`: a file of a remote workspace, read by ranges with the source of its kind, or a directory. All
 * messages and next calls are written here; the workspace gives only bytes and names.
 */

import { type ErrorCode, isOrielError, OrielError } from '../../errors.ts';
import { didYouMean, nearNames } from '../../text/near.ts';
import { oneLine, quote } from '../../text/visible.ts';
import type { Call, Resource, TextResource } from '../../types/call.ts';
import type { Settings, WorkspaceFiles } from '../../types/settings.ts';
import { divideRemotePath, openRemote, type RangeRequest } from '../ranges/open.ts';
import { listNames, longestNamed, notNamed, textListing } from '../resources/names.ts';

/** Throws OrielError: `UNSUPPORTED` if there are no workspaces, and the errors of reading. */
export async function openWorkspace(typed: string, call: Call): Promise<Resource> {
  const { workspaces } = call.settings;
  const names = namesOf(workspaces);
  if (names.length === 0) {
    throw new OrielError(
      'UNSUPPORTED',
      `ws:// is off here: no workspaces are named. The operator of oriel can name them ${call.settings.operator.workspaces}.`,
    );
  }
  if (typed === '' || typed.startsWith(':')) return listWorkspaces(typed, workspaces, call);
  const name = longestNamed(typed, names);
  const files = name === undefined ? undefined : workspaces[name]?.files;
  if (name === undefined || !files) {
    throw notNamed('ws', typed, { names: names.map((known) => ({ name: known })), more: false });
  }
  return openIn(name, files, typed.slice(name.length), call);
}

/** `behind` is the text after the workspace name, such as `/src/app.ts:5..9` or `:-5`. */
async function openIn(name: string, files: WorkspaceFiles, behind: string, call: Call): Promise<Resource> {
  const [, directory, offset, selector = ''] =
    /^\/((?:.*\/)?)\?offset=(\d{1,15})(?::(.*))?$/s.exec(behind) ?? [];
  if (directory !== undefined) {
    return listWorkspaceDirectory({ name, files, path: directory, rest: selector }, Number(offset), call);
  }
  const below = behind.replace(/^\//, '');
  if (below === '' || below.startsWith(':')) {
    return listWorkspaceDirectory({ name, files, path: '', rest: below.slice(1) }, 0, call);
  }
  const ways = divideRemotePath(below).map(({ path, rest }) => ({ name, files, path, rest }));
  for (const way of ways) {
    const found = await openIfThere(way, call);
    if (found) return found;
  }
  throw await missing(ways[0] as InWorkspace, call);
}

/** Undefined if neither a file nor a directory of that name exists. */
async function openIfThere(way: InWorkspace, call: Call): Promise<Resource | undefined> {
  try {
    return way.path.endsWith('/') ? await listWorkspaceDirectory(way, 0, call) : await openFile(way, call);
  } catch (error) {
    if (hasCode(error, 'IS_DIRECTORY'))
      return listWorkspaceDirectory({ ...way, path: `${way.path}/` }, 0, call);
    if (hasCode(error, 'NOT_FOUND', 'NOT_DIRECTORY') && error.cause === way.files) return undefined;
    throw error;
  }
}

function hasCode(error: unknown, ...codes: readonly ErrorCode[]): error is OrielError {
  return isOrielError(error) && codes.includes(error.code);
}

function openFile({ name, files, path, rest }: InWorkspace, call: Call): Promise<Resource> {
  const url = `ws://${name}/${path}`;
  const place = {
    name: url,
    facts: { workspace: files.origin, path },
    asItWas: (size: number | undefined) => ({ 'oriel-size': size === undefined ? '*' : String(size) }),
    send: async (ask: RangeRequest) => ({
      url,
      ...(await asking(files, () => files.readFile({ path, ...ask }))),
    }),
  };
  const file = path.slice(path.lastIndexOf('/') + 1);
  const facts = { workspace: name, server: files.origin };
  return openRemote({ place, rest, file, format: 'internal', facts }, call);
}

/** Marks errors of the workspace itself by setting `files` as their cause; errors in the data that it sent are not marked. */
async function asking<T>(files: WorkspaceFiles, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!isOrielError(error)) throw error;
    throw new OrielError(error.code, error.message, { next: error.next, cause: files });
  }
}

/** `NOT_FOUND`, with similar names in the same directory. */
async function missing({ name, files, path }: InWorkspace, { signal }: Call): Promise<OrielError> {
  const parent = path.replace(/[^/]+\/?$/, '');
  const front = `ws://${name}/${parent}`;
  const why = `${quote(`ws://${name}/${path}`)} does not exist.`;
  const beside = await files
    .listDirectory({ path: parent, offset: 0, limit: 500, signal })
    .catch((error: unknown) => {
      signal.throwIfAborted();
      if (isOrielError(error)) return undefined;
      throw error;
    });
  if (!beside) {
    const top = `ws://${name}/`;
    return new OrielError('NOT_FOUND', `${why} Use ${quote(top)} for the list.`, { next: top });
  }
  const [near] = nearNames(
    path.slice(parent.length),
    beside.entries.map((entry) => entry.name),
  );
  const next = near === undefined ? front : front + near;
  const hint = near === undefined ? '' : didYouMean([quote(next)]);
  return new OrielError('NOT_FOUND', `${why}${hint} Use ${quote(front)} for the list.`, { next });
}

// The listings of `ws://`: all workspaces with their state, and pages of a directory.

interface InWorkspace {
  readonly name: string;
  readonly files: WorkspaceFiles;
  /** Relative to its working directory, or absolute; empty for that directory. */
  readonly path: string;
  /** The selector after the path, without the colon. */
  readonly rest: string;
}

const PAGE = 500;

/** The most workspaces whose state is checked for one list. */
const MAX_CHECKED_WORKSPACES = 100;

type Workspaces = Settings['workspaces'];

function namesOf(workspaces: Workspaces): string[] {
  return Object.keys(workspaces)
    .filter((name) => workspaces[name]?.files !== undefined)
    .sort();
}

/** Lists the workspaces with the address of their server, and whether it answers. */
async function listWorkspaces(rest: string, workspaces: Workspaces, call: Call): Promise<Resource> {
  const names = await Promise.all(
    namesOf(workspaces).map(async (name, i) => {
      const files = workspaces[name]?.files as WorkspaceFiles;
      const state = i < MAX_CHECKED_WORKSPACES ? await stateOf(files, call) : '';
      return { name: `${name}/`, about: `${files.origin}${state}` };
    }),
  );
  return listNames('ws', rest, { names, more: false }, 'no workspaces');
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
async function listWorkspaceDirectory(
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
