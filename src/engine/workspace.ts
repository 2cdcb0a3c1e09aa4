/**
 * Owns reading in a workspace that is elsewhere: a request that names one goes to the reader that the host gave under
 * that name, and its reply is held to the same limits as what is read here.
 */

import { OrielError } from '../errors.ts';
import { plural } from '../render/units.ts';
import { quote } from '../text/visible.ts';
import type { Call } from './call.ts';
import type { ReadRequest } from './request.ts';

/** What a workspace says of a file: lines as "number, tab, text", or an error in its own words. */
export interface WorkspaceLines {
  readonly success: boolean;
  /** Bytes. */
  readonly file_size: number;
  readonly total_lines: number;
  readonly lines_read: number;
  readonly content: string;
  /** Empty on success. */
  readonly error: string;
}

export interface WorkspaceQuery {
  /** Absolute. */
  readonly path: string;
  /** First line, 1-based. */
  readonly offset: number;
  /** Lines; absent for as many as an answer may have. */
  readonly limit?: number;
  readonly signal: AbortSignal;
}

export interface Workspace {
  /** Throws OrielError when no answer came. */
  readFileLines(query: WorkspaceQuery): Promise<WorkspaceLines>;
}

export interface WorkspaceResult {
  readonly is: 'workspace';
  readonly lines: WorkspaceLines;
}

export async function readInWorkspace(
  request: ReadRequest,
  name: string,
  call: Call,
): Promise<WorkspaceResult> {
  const workspace = find(name, call.settings.workspaces);
  const range = request.window?.by === 'lines' ? request.window.ranges[0] : undefined;
  const { from = 1, to } = range ?? {};
  const lines = await workspace.readFileLines({
    path: request.target,
    offset: from,
    // What was asked for as a whole is asked for as a whole there: its own limit on files decides.
    ...(request.whole === undefined && to !== undefined && { limit: to - from + 1 }),
    signal: call.signal,
  });
  const bytes = Buffer.byteLength(lines.content);
  if (bytes > call.limits.bytes) {
    throw new OrielError(
      'LIMIT',
      `The workspace ${quote(name)} answered ${plural(bytes, 'byte')}, more than the ${call.limits.bytes} of an answer. ` +
        'Read less at a time using offset and limit parameters.',
    );
  }
  return { is: 'workspace', lines };
}

/** `owner/name` may also be known as `name`. */
function find(name: string, workspaces: Readonly<Record<string, Workspace>>): Workspace {
  for (const known of [name, name.slice(name.lastIndexOf('/') + 1)]) {
    const workspace = Object.hasOwn(workspaces, known) ? workspaces[known] : undefined;
    if (workspace) return workspace;
  }
  const others = Object.keys(workspaces).map((known) => `, ${known}`);
  throw new OrielError(
    'BAD_INPUT',
    others.length === 0
      ? `There is no workspace ${quote(name)} here. Use local for this machine.`
      : `There is no workspace ${quote(name)} here. Use one of local${others.join('')}.`,
  );
}
