/** Remote workspaces of the command line: from options, from a file, or from a command that lists them. */

import { execFile } from 'node:child_process';
import { closeSync, fstatSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { OrielError } from '../../errors.ts';
import { keepFileFromClients } from '../../files/kept-files.ts';
import { fromWorkingDirectory } from '../../files/paths.ts';
import { errno, systemError } from '../../files/system-failure.ts';
import { oneLine, quote, shellWord } from '../../text/visible.ts';
import type { Workspace } from '../../types/settings.ts';
import { isServerUrl } from '../client/client-request.ts';
import type { OfferOptions } from '../offer.ts';
import {
  type CliOption,
  type CliStreams,
  isWorkspaceName,
  type OptionValues,
  type WorkspaceAddress,
} from './options.ts';

export const workspaceOptions: readonly CliOption[] = [
  {
    name: 'workspace',
    rare: true,
    multiple: true,
    value: 'NAME=URL',
    help: 'a remote workspace of oriel serve, read as ws://NAME/path (repeatable; ORIEL_TOKEN_NAME is its token)',
  },
  {
    name: 'workspace-token-file',
    rare: true,
    multiple: true,
    value: 'NAME=FILE',
    help: 'read the token of that workspace from FILE (repeatable)',
  },
  {
    name: 'workspaces',
    rare: true,
    value: 'FILE',
    help: 'workspaces as JSON: {"NAME":"URL"}, or {"NAME":{"url":"URL","tokenFile":"FILE"}}',
  },
  {
    name: 'workspaces-command',
    rare: true,
    value: 'COMMAND',
    help: 'a shell command that prints the same JSON as --workspaces reads',
  },
];

const DIALECTS: ReadonlySet<unknown> = new Set([undefined, 'oriel', 'coder']);

/** As `fleetOf`, without the report of the fleet. */
export async function workspacesOf(
  values: OptionValues,
  streams: Pick<CliStreams, 'err' | 'signal' | 'tokens'>,
): Promise<{ workspaces?: Readonly<Record<string, Workspace>> | undefined }> {
  const { workspaces } = await fleetOf(values, streams);
  return workspaces ? { workspaces } : {};
}

/** Throws `BAD_INPUT` for an invalid workspace, and for a dialect that only reads local files. */
export async function fleetOf(
  values: OptionValues,
  { err, signal, tokens }: Pick<CliStreams, 'err' | 'signal' | 'tokens'>,
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
    return [name, { url, token: token || undefined, tokenFrom: tokenFile ?? variable }] as const;
  });
  const fleet = createFleet({ workspaces: Object.fromEntries(members) });
  return { workspaces: fleet.workspaces, fleet: () => fleet.report() };
}

/** Options have priority over the file, and the file over the command. */
async function allGiven(values: OptionValues, signal: AbortSignal): Promise<Map<string, WorkspaceAddress>> {
  const [file, command] = [values['workspaces'], values['workspaces-command']] as (string | undefined)[];
  const given = new Map<string, WorkspaceAddress>();
  if (file !== undefined || command !== undefined) {
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

const listOf = (values: OptionValues, name: string): readonly string[] =>
  (values[name] as readonly string[] | undefined) ?? [];

/** `NAME=VALUE`. */
function pair(
  text: string,
  what: string,
  example: string,
  isValid: (value: string) => boolean = () => true,
): [name: string, value: string] {
  const [, name = '', value = ''] = /^([^=]+)=(.+)$/.exec(text) ?? [];
  if (isWorkspaceName(name) && isValid(value)) return [name, value];
  throw new OrielError('BAD_INPUT', `${quote(text)} is not NAME=${what}. Use ${example}.`);
}

/** Variables with another meaning: the file with the token of this server. */
const TAKEN: ReadonlySet<string> = new Set(['ORIEL_TOKEN_FILE']);

/** Throws `BAD_INPUT` if a set variable would be the token of several workspaces, which would leak it to the wrong one. */
function refuseShared(given: ReadonlyMap<string, WorkspaceAddress>, tokens: NodeJS.ProcessEnv): void {
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

// The token that `oriel serve` requires with every request: from a file, which commands do not inherit, or
// given directly.

export const tokenOptions: readonly CliOption[] = [
  {
    name: 'token-file',
    value: 'FILE',
    help: 'require the bearer token in FILE with every request (ORIEL_TOKEN_FILE names one too)',
  },
  {
    name: 'token',
    rare: true,
    value: 'TOKEN',
    help: 'require this bearer token, which other processes can see; ORIEL_TOKEN stays out of process lists',
  },
];

export const operatorTokenOption: CliOption = {
  name: 'operator-token-file',
  rare: true,
  value: 'FILE',
  help: 'show the tasks of all clients, and the rules for private files, to whoever sends the token in FILE (the dashboard asks for it)',
};

/** The token of `--operator-token-file`. Throws `BAD_INPUT`. */
export function operatorToken(values: OptionValues): ServerToken | undefined {
  const file = values[operatorTokenOption.name] as string | undefined;
  return file === undefined ? undefined : tokenIn(file, makeSecret(file));
}

const MAX_TOKEN_FILE_BYTES = 4_096;

interface ServerToken {
  readonly token: string;
  /** A warning about its source, as one sentence. */
  readonly warning?: string | undefined;
}

/** Options have priority over variables. Throws `BAD_INPUT`, also as `refuseReadable`. */
export function serverToken(values: OptionValues, tokens: NodeJS.ProcessEnv): ServerToken | undefined {
  const { ORIEL_TOKEN: variable, ORIEL_TOKEN_FILE: fileVariable } = tokens;
  const [option, fileOption] = [values['token'], values['token-file']] as (string | undefined)[];
  if (option !== undefined && fileOption !== undefined) {
    throw new OrielError('BAD_INPUT', 'There are two tokens. Use --token-file FILE without --token.');
  }
  if (option || variable)
    refuseReadable(values, option ? '--token' : 'ORIEL_TOKEN', '--token-file FILE, or ORIEL_TOKEN_FILE');
  const file = fileOption ?? (option === undefined ? fileVariable || undefined : undefined);
  if (file !== undefined) return tokenIn(file, makeSecret(file));
  const token = option ?? (variable || undefined);
  return token === undefined
    ? undefined
    : { token: checkedToken(token, option === undefined ? 'ORIEL_TOKEN' : '--token') };
}

/** Programs that oriel starts for clients, by the option that allows it. */
const STARTED = {
  'allow-bash': 'commands',
  'mcp-resources': 'the servers of .mcp.json',
} as const;

/**
 * A program of the same user can read the initial environment and the arguments of this process, even if they are removed
 * later. Throws `BAD_INPUT` if the token was in `where` and this process starts such programs.
 */
function refuseReadable(values: OptionValues, where: string, use: string): void {
  for (const [option, who] of Object.entries(STARTED)) {
    if (values[option] !== true) continue;
    const message = `With --${option}, ${who} could read the token from ${where}. Use ${use}.`;
    throw new OrielError('BAD_INPUT', message);
  }
}

/** The advice how to create a file with a secret. */
export function makeSecret(path: string): string {
  return `Use (umask 077; openssl rand -hex 32 > ${shellWord(path)}) to make one.`;
}

/** Reads a token; the file may be a pipe: `--token-file <(pass show oriel)`. `remedy`: the advice if there is no file. */
function tokenIn(path: string, remedy: string): ServerToken {
  const { text, warning } = readSecret(path, 'token', remedy);
  const token = checkedToken(text.trim(), quote(path));
  return { token, warning };
}

/** Throws `BAD_INPUT` for a token that no header can hold, or that is empty. */
function checkedToken(token: string, where: string): string {
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw new OrielError(
    'BAD_INPUT',
    `The token in ${where} is not one line of visible ASCII characters. Use one such as openssl rand -hex 32 prints.`,
  );
}

/** The content of a private file of at most 4 KiB. `what`: its name in errors; `remedy`: the advice if it is missing. */
export function readSecret(
  path: string,
  what: string,
  remedy: string,
): { readonly text: string; readonly warning?: string | undefined } {
  let fd: number | undefined;
  try {
    const at = fromWorkingDirectory(path);
    fd = openSync(at, 'r');
    const stat = fstatSync(fd);
    const bytes = Buffer.alloc(MAX_TOKEN_FILE_BYTES);
    let filled = 0;
    for (let got = 1; got > 0 && filled < MAX_TOKEN_FILE_BYTES; filled += got) {
      got = readSync(fd, bytes, filled, MAX_TOKEN_FILE_BYTES - filled, null);
    }
    if (filled === MAX_TOKEN_FILE_BYTES)
      throw new OrielError('BAD_INPUT', `${quote(path)} is too long for a ${what}.`);
    if (stat.isFile()) {
      keepFileFromClients(at, fd, stat);
      fd = undefined;
    }
    const isOpenToOthers = stat.isFile() && (stat.mode & 0o077) !== 0;
    const warning = `Other users may read the ${what} in ${quote(path)}. Use chmod 600 on it.`;
    return { text: bytes.toString('latin1', 0, filled), warning: isOpenToOthers ? warning : undefined };
  } catch (cause) {
    if (cause instanceof OrielError) throw cause;
    const help = errno(cause) === 'ENOENT' ? remedy : 'Use one that the user of oriel may read.';
    const message = `The ${what} file ${systemError(cause, path).message} ${help}`;
    throw new OrielError('BAD_INPUT', message, { cause });
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

// Reads lists of workspaces as JSON, from a file or from the output of a command.

/** Maximum bytes of a list: enough for more than 10,000 workspaces. */
const MAX_WORKSPACE_LIST_BYTES = 4 << 20;

const COMMAND_MS = 30_000;

type Entries = readonly (readonly [name: string, workspace: WorkspaceAddress])[];

/** Paths of token files are relative to the directory of the list. Throws `BAD_INPUT`. */
function workspacesIn(file: string): Entries {
  try {
    const found = statSync(file);
    if (!found.isFile() || found.size > MAX_WORKSPACE_LIST_BYTES)
      throw new Error('not a file of at most 4 MiB');
    return entriesIn(readFileSync(file, 'utf8'), dirname(resolve(file)));
  } catch (cause) {
    throw refused(`The list of workspaces ${quote(file)}`, errno(cause) || (cause as Error).message, cause);
  }
}

/** Runs `command` in a shell. Throws `BAD_INPUT` if it fails or does not print a list. */
async function workspacesFound(command: string, signal: AbortSignal): Promise<Entries> {
  const [shell, flag] = process.platform === 'win32' ? ['cmd.exe', '/c'] : ['/bin/sh', '-c'];
  const printed = await new Promise<string>((done, fail) => {
    const options = {
      signal,
      timeout: COMMAND_MS,
      maxBuffer: MAX_WORKSPACE_LIST_BYTES,
      encoding: 'utf8',
    } as const;
    execFile(shell, [flag, command], options, (error, out, err) => {
      if (!error) return done(out);
      const why = `it ended with ${error.killed ? 'a timeout' : (error.code ?? error.signal)}: ${err.trim().slice(-200)}`;
      fail(refused('The command of --workspaces-command', why, error));
    });
  });
  try {
    return entriesIn(printed, process.cwd());
  } catch (cause) {
    throw refused('What the command of --workspaces-command prints', (cause as Error).message, cause);
  }
}

/** Throws an Error with the reason if the list is invalid. */
function entriesIn(text: string, directory: string): Entries {
  const list: unknown = JSON.parse(text);
  if (typeof list !== 'object' || list === null || Array.isArray(list))
    throw new Error('it is no JSON object');
  return Object.entries(list).map(([name, given]) => {
    if (!isWorkspaceName(name)) throw new Error(`${quote(name)} cannot be the name of a workspace`);
    const { url, tokenFile, ...others } = (
      typeof given === 'string' ? { url: given } : Object(given)
    ) as Readonly<Record<string, unknown>>;
    const [other] = Object.keys(others);
    if (other !== undefined) {
      throw new Error(`${quote(name)} has ${quote(other)}, and only url and tokenFile are known`);
    }
    if (typeof url !== 'string' || !isServerUrl(url))
      throw new Error(`${quote(name)} has no http or https URL`);
    if (tokenFile !== undefined && typeof tokenFile !== 'string') {
      throw new Error(`tokenFile of ${quote(name)} is no file`);
    }
    return [name, { url, tokenFile: tokenFile === undefined ? undefined : resolve(directory, tokenFile) }];
  });
}

function refused(what: string, why: string, cause: unknown): OrielError {
  const example = '{"dev":"http://127.0.0.1:7345"}';
  const message = `${what} cannot be used: ${oneLine(why).replace(/\.$/, '')}. Use JSON such as ${example}.`;
  return new OrielError('BAD_INPUT', message, { cause });
}
