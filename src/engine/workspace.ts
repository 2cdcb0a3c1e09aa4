/**
 * Owns reading in a workspace that is elsewhere: a request that names one goes to the reader that the host gave under
 * that name, and its reply is held to the same limits as what is read here.
 */

import { OrielError } from '../errors.ts';
import { plural } from '../render/units.ts';
import { quote } from '../text/visible.ts';
import type { Call } from '../types/call.ts';
import type { ReadRequest } from '../types/request.ts';
import type { WorkspaceResult } from '../types/result.ts';
import type { Workspace } from '../types/workspace.ts';

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
