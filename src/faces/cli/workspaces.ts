/** Remote workspaces of the command line: from options, from a file, or from a command that lists them. */

import { OrielError } from '../../errors.ts';
import { quote } from '../../text/visible.ts';
import type { OfferOptions } from '../offer.ts';
import type { Workspace } from '../../types/workspace.ts';
import type { Option, Streams, Values } from './command.ts';
import { refuseReadable, tokenIn } from './token.ts';
import { isServerUrl } from '../client/base-url.ts';
import { type Given, isName } from './workspace-names.ts';

export const workspaceOptions: readonly Option[] = [
  {
    name: 'workspace',
    type: 'string',
    multiple: true,
    value: 'NAME=URL',
    help: 'a remote workspace of oriel serve, read as ws://NAME/path (repeatable; ORIEL_TOKEN_NAME is its token)',
  },
  {
    name: 'workspace-token-file',
    type: 'string',
    multiple: true,
    value: 'NAME=FILE',
    help: 'read the token of that workspace from FILE (repeatable)',
  },
  {
    name: 'workspaces',
    type: 'string',
    value: 'FILE',
    help: 'workspaces as JSON: {"NAME":"URL"}, or {"NAME":{"url":"URL","tokenFile":"FILE"}}',
  },
  {
    name: 'workspaces-command',
    type: 'string',
    value: 'COMMAND',
    help: 'a shell command that prints the same JSON as --workspaces reads',
  },
];

const DIALECTS: ReadonlySet<unknown> = new Set([undefined, 'oriel', 'coder']);

/** As `fleetOf`, without the report of the fleet. */
export async function workspacesOf(
  values: Values,
  streams: Pick<Streams, 'err' | 'signal' | 'tokens'>,
): Promise<{ workspaces?: Readonly<Record<string, Workspace>> }> {
  const { workspaces } = await fleetOf(values, streams);
  return workspaces ? { workspaces } : {};
}

/** Throws `BAD_INPUT` for an invalid workspace, and for a dialect that only reads local files. */
export async function fleetOf(
  values: Values,
  { err, signal, tokens }: Pick<Streams, 'err' | 'signal' | 'tokens'>,
): Promise<Pick<OfferOptions, 'workspaces' | 'fleet'>> {
  const named = workspaceOptions.find(({ name }) => values[name] !== undefined);
  if (!named) return {};
  if (!DIALECTS.has(values['dialect'])) {
    const message = `Only the dialects oriel and coder reach remote workspaces. Leave out --dialect, or --${named.name}.`;
    throw new OrielError('BAD_INPUT', message);
  }
  if (values['offline'] === true) {
    const message = `With --offline no remote workspaces are read. Leave out --${named.name}, or --offline.`;
    throw new OrielError('BAD_INPUT', message);
  }
  const given = await allGiven(values, signal);
  refuseShared(given, tokens);
  const { createFleet } = await import('../client/fleet.ts');
  const members = [...given].map(([name, { url, tokenFile }]) => {
    const variable = tokenVariable(name);
    const inEnvironment = tokenFile === undefined ? tokens[variable] : undefined;
    if (inEnvironment) refuseReadable(values, variable, `--workspace-token-file ${quote(`${name}=FILE`)}`);
    const { token, warning } =
      tokenFile === undefined
        ? { token: inEnvironment }
        : tokenIn(tokenFile, 'Use a file with the token that the workspace wants.');
    if (warning !== undefined) err.write(`oriel: ${warning}\n`);
    return [name, { url, ...(token && { token }), tokenFrom: tokenFile ?? variable }] as const;
  });
  const fleet = createFleet({ workspaces: Object.fromEntries(members) });
  return { workspaces: fleet.workspaces, fleet: () => fleet.report() };
}

/** Options have priority over the file, and the file over the command. */
async function allGiven(values: Values, signal: AbortSignal): Promise<Map<string, Given>> {
  const [file, command] = [values['workspaces'], values['workspaces-command']] as (string | undefined)[];
  const given = new Map<string, Given>();
  if (file !== undefined || command !== undefined) {
    const { workspacesFound, workspacesIn } = await import('./workspace-list.ts');
    if (command !== undefined) for (const one of await workspacesFound(command, signal)) given.set(...one);
    if (file !== undefined) for (const one of workspacesIn(file)) given.set(...one);
  }
  for (const text of listOf(values, 'workspace')) {
    const [name, url] = pair(text, 'URL', '--workspace dev=http://127.0.0.1:7345', isServerUrl);
    given.set(name, { url });
  }
  for (const text of listOf(values, 'workspace-token-file')) {
    const [name, tokenFile] = pair(text, 'FILE', '--workspace-token-file dev=dev.token');
    const workspace = given.get(name);
    if (!workspace) {
      const message = `There is no workspace ${quote(name)} for its token. Add --workspace ${quote(name)}=URL.`;
      throw new OrielError('BAD_INPUT', message);
    }
    given.set(name, { ...workspace, tokenFile });
  }
  return given;
}

const listOf = (values: Values, name: string): readonly string[] =>
  (values[name] as readonly string[] | undefined) ?? [];

/** `NAME=VALUE`. */
function pair(
  text: string,
  what: string,
  example: string,
  isValid: (value: string) => boolean = () => true,
): [name: string, value: string] {
  const [, name = '', value = ''] = /^([^=]+)=(.+)$/.exec(text) ?? [];
  if (isName(name) && isValid(value)) return [name, value];
  throw new OrielError('BAD_INPUT', `${quote(text)} is not NAME=${what}. Use ${example}.`);
}

/** Variables with another meaning: the file with the token of this server. */
const TAKEN: ReadonlySet<string> = new Set(['ORIEL_TOKEN_FILE']);

/** Throws `BAD_INPUT` if a set variable would be the token of several workspaces, which would leak it to the wrong one. */
function refuseShared(given: ReadonlyMap<string, Given>, tokens: NodeJS.ProcessEnv): void {
  const first = new Map<string, string>();
  for (const [name, { tokenFile }] of given) {
    const variable = tokenVariable(name);
    if (tokenFile !== undefined || !tokens[variable]) continue;
    const other = first.get(variable);
    if (other === undefined && !TAKEN.has(variable)) {
      first.set(variable, name);
      continue;
    }
    const others = other === undefined ? 'and of this server' : `and of ${quote(other)}`;
    throw new OrielError(
      'BAD_INPUT',
      `${variable} would be the token of the workspace ${quote(name)} ${others}. Use --workspace-token-file ${quote(`${name}=FILE`)}, or tokenFile in the list.`,
    );
  }
}

/** `me/dev-1` → `ORIEL_TOKEN_ME_DEV_1`. Names that differ only in punctuation or case have the same variable. */
function tokenVariable(name: string): string {
  return `ORIEL_TOKEN_${name.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')}`;
}
