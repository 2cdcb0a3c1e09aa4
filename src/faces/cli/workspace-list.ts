/** Reads lists of workspaces as JSON, from a file or from the output of a command. */

import { execFile } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { OrielError } from '../../errors.ts';
import { errno } from '../../files/system-failure.ts';
import { oneLine, quote } from '../../text/visible.ts';
import { isServerUrl } from '../client/client-request.ts';
import { isWorkspaceName, type WorkspaceAddress } from './options.ts';

/** Maximum bytes of a list: enough for more than 10,000 workspaces. */
const MAX_WORKSPACE_LIST_BYTES = 4 << 20;

/** Timeout of the command in milliseconds. */
const COMMAND_MS = 30_000;

type Entries = readonly (readonly [name: string, workspace: WorkspaceAddress])[];

/** Paths of token files are relative to the directory of the list. Throws `BAD_INPUT`. */
export function workspacesIn(file: string): Entries {
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
export async function workspacesFound(command: string, signal: AbortSignal): Promise<Entries> {
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
