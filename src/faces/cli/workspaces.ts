/** Workspaces elsewhere on the command line: `--workspace NAME=URL`. */

import type { Option, Values } from './command.ts';
import { OrielError } from '../../errors.ts';
import { quote } from '../../text/visible.ts';
import type { Workspace } from '../../types/workspace.ts';

export const workspaceOption: Option = {
  name: 'workspace',
  type: 'string',
  multiple: true,
  value: 'NAME=URL',
  help: 'a workspace that oriel serves elsewhere, for the coder dialect (repeatable; ORIEL_TOKEN_NAME is its token)',
};

/** Throws `BAD_INPUT` for what is not NAME=URL, and for a dialect that reads on this machine only. */
export async function workspacesOf(values: Values): Promise<{ workspaces?: Record<string, Workspace> }> {
  const given = (values['workspace'] as readonly string[] | undefined) ?? [];
  if (given.length === 0) return {};
  if (values['dialect'] !== 'coder') {
    throw new OrielError(
      'BAD_INPUT',
      'Only the dialect coder reaches workspaces elsewhere. Add --dialect coder, or leave out --workspace.',
    );
  }
  const { remoteWorkspace } = await import('../client/remote-workspace.ts');
  return {
    workspaces: Object.fromEntries(
      given.map((text) => {
        const [, name = '', url = ''] = /^([^=]+)=(.+)$/.exec(text) ?? [];
        if (!URL.canParse(url) || !/^https?:/.test(url)) {
          throw new OrielError(
            'BAD_INPUT',
            `${quote(text)} is not NAME=URL. Use --workspace dev=http://127.0.0.1:7345.`,
          );
        }
        const variable = tokenVariable(name);
        const token = process.env[variable];
        return [name, remoteWorkspace({ url, ...(token && { token }) }, variable)];
      }),
    ),
  };
}

/** `me/dev-1` → `ORIEL_TOKEN_ME_DEV_1` */
function tokenVariable(name: string): string {
  return `ORIEL_TOKEN_${name.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')}`;
}
