/**
 * Reads in a remote workspace: a request that names a workspace goes to the reader that the host gave under that name.
 * The reply is cut at the same limits as a local read.
 */

import { isOrielError, OrielError } from '../errors.ts';
import { plural } from '../render/display.ts';
import { quote } from '../text/visible.ts';
import type { Call } from '../types/call.ts';
import type { LinesRequest } from '../types/request.ts';
import type { WorkspaceResult } from '../types/result.ts';
import type { FileLines, Workspace } from '../types/settings.ts';
import { hostError } from './unexpected.ts';

export async function readInWorkspace(
  request: LinesRequest,
  name: string,
  call: Call,
): Promise<WorkspaceResult> {
  const workspace = find(name, call.settings.workspaces);
  const lines = await ask(workspace, name, request, call.signal);
  const bytes = Buffer.byteLength(lines.content);
  if (bytes > call.limits.bytes) {
    throw new OrielError(
      'LIMIT',
      `The workspace ${quote(name)} answered ${plural(bytes, 'byte')}, more than the ${call.limits.bytes} of an answer. ` +
        'Read less at a time using offset and limit parameters.',
    );
  }
  return { kind: 'workspace', lines };
}

async function ask(
  workspace: Workspace,
  name: string,
  { path, range: { from, to }, wholeUpTo }: LinesRequest,
  signal: AbortSignal,
): Promise<FileLines> {
  try {
    const lines: Partial<FileLines> | undefined = await workspace.readFileLines({
      path,
      offset: from,
      // For a whole file no line limit is sent: the limit of the workspace for whole files applies.
      ...(wholeUpTo === undefined && to !== undefined && { limit: to - from + 1 }),
      signal,
    });
    if (typeof lines?.content !== 'string') throw new TypeError('readFileLines returned no content');
    return lines as FileLines;
  } catch (error) {
    throw isOrielError(error) || signal.aborted ? error : hostError(`workspaces: ${quote(name)}`, error);
  }
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
