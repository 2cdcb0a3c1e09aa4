/**
 * The token that `oriel serve` requires with every request: from a file, which commands do not inherit, or
 * given directly.
 */

import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { errno, failure } from '../../access/system-failure.ts';
import { keepFileFromClients } from '../../access/private-files.ts';
import { OrielError } from '../../errors.ts';
import { shellWord } from '../../text/shell.ts';
import { quote } from '../../text/visible.ts';
import type { Option, Values } from './command.ts';

export const tokenOptions: readonly Option[] = [
  {
    name: 'token-file',
    type: 'string',
    value: 'FILE',
    help: 'require the bearer token in FILE with every request (ORIEL_TOKEN_FILE names one too)',
  },
  {
    name: 'token',
    type: 'string',
    value: 'TOKEN',
    help: 'require this bearer token, which other processes can see; ORIEL_TOKEN stays out of process lists',
  },
];

export const operatorTokenOption: Option = {
  name: 'operator-token-file',
  type: 'string',
  value: 'FILE',
  help: 'show the tasks of all clients to whoever sends the token in FILE (the dashboard asks for it)',
};

/** The token of `--operator-token-file`. Throws `BAD_INPUT`. */
export function operatorToken(values: Values): ServerToken | undefined {
  const file = values[operatorTokenOption.name] as string | undefined;
  return file === undefined ? undefined : tokenIn(file, makeSecret(file));
}

const MOST_BYTES = 4_096;

export interface ServerToken {
  readonly token: string;
  /** A warning about its source, as one sentence. */
  readonly warning?: string;
}

/** Options have priority over variables. Throws `BAD_INPUT`, also as `refuseReadable`. */
export function serverToken(values: Values, tokens: NodeJS.ProcessEnv): ServerToken | undefined {
  const { ORIEL_TOKEN: variable, ORIEL_TOKEN_FILE: fileVariable } = tokens;
  const [option, fileOption] = [values['token'], values['token-file']] as (string | undefined)[];
  if (option !== undefined && fileOption !== undefined) {
    throw new OrielError('BAD_INPUT', 'There are two tokens. Use --token-file FILE without --token.');
  }
  if (option || variable)
    refuseReadable(values, option ? '--token' : 'ORIEL_TOKEN', '--token-file FILE, or ORIEL_TOKEN_FILE');
  const file = fileOption ?? (option === undefined ? fileVariable || undefined : undefined);
  if (file !== undefined) return tokenIn(file, makeSecret(file));
  const token = option ?? variable;
  return token ? { token } : undefined;
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
export function refuseReadable(values: Values, where: string, use: string): void {
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
export function tokenIn(path: string, remedy: string): ServerToken {
  const { text, warning } = readSecret(path, 'token', remedy);
  const token = text.trim();
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw new OrielError(
      'BAD_INPUT',
      `The token in ${quote(path)} is not one line of visible ASCII characters. Use one such as openssl rand -hex 32 prints.`,
    );
  }
  return { token, ...(warning !== undefined && { warning }) };
}

/** The content of a private file of at most 4 KiB. `what`: its name in errors; `remedy`: the advice if it is missing. */
export function readSecret(
  path: string,
  what: string,
  remedy: string,
): { readonly text: string; readonly warning?: string } {
  let fd: number | undefined;
  try {
    fd = openSync(path, 'r');
    const stat = fstatSync(fd);
    const bytes = Buffer.alloc(MOST_BYTES);
    let filled = 0;
    for (let got = 1; got > 0 && filled < MOST_BYTES; filled += got) {
      got = readSync(fd, bytes, filled, MOST_BYTES - filled, null);
    }
    if (filled === MOST_BYTES) throw new OrielError('BAD_INPUT', `${quote(path)} is too long for a ${what}.`);
    if (stat.isFile()) {
      keepFileFromClients(path, fd, stat);
      fd = undefined;
    }
    const isOpenToOthers = stat.isFile() && (stat.mode & 0o077) !== 0;
    const warning = `Other users may read the ${what} in ${quote(path)}. Use chmod 600 on it.`;
    return { text: bytes.toString('latin1', 0, filled), ...(isOpenToOthers && { warning }) };
  } catch (cause) {
    if (cause instanceof OrielError) throw cause;
    const help = errno(cause) === 'ENOENT' ? remedy : 'Use one that the user of oriel may read.';
    const message = `The ${what} file ${failure(cause, path).message} ${help}`;
    throw new OrielError('BAD_INPUT', message, { cause });
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}
