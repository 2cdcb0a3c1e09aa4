/** Adapts the client of a remote workspace to the engine's interface: failures become OrielErrors. */

import { type ErrorCode, OrielError } from '../../errors.ts';
import { oneLine, quote } from '../../text/visible.ts';
import type { Workspace } from '../../types/workspace.ts';
import { baseOf } from './base-url.ts';
import { createClient } from './client.ts';
import { remoteFiles } from './remote-files.ts';
import { type ClientOptions, sender } from './client-request.ts';
import type { ClientError } from './client-result.ts';

/** Maximum characters of a message of the server that is shown to a model. */
const MOST_WORDS = 500;

export interface RemoteOptions {
  /** The caller's name for it. */
  readonly name?: string;
  /** Where its token comes from, for the error if it is missing: `the variable ORIEL_TOKEN_DEV`. */
  readonly tokenFrom?: string;
  /** Timeout of a request in milliseconds. */
  readonly requestMs?: number;
}

export function remoteWorkspace(
  options: ClientOptions,
  { name = 'it', tokenFrom, requestMs }: RemoteOptions = {},
): Workspace {
  const client = createClient(options);
  const send = sender(options);
  const failure = (error: ClientError): OrielError => errorOf(error, name, tokenFrom);
  return {
    async readFileLines({ path, ...asked }) {
      const result = await client.readFileLines(path, asked);
      if (result.ok) return result.value;
      const { error } = result;
      const message = oneLine(error.message.slice(0, MOST_WORDS));
      throw new OrielError(codeOf(error), wantsToken(error) ? `${message}${advice(tokenFrom)}` : message);
    },
    files: remoteFiles(send, {
      name,
      origin: baseOf(options.url),
      failure,
      ...(requestMs !== undefined && { requestMs }),
    }),
  };
}

/** The code of a refused request. Errors of the file system are not refusals: they are in the response. */
function codeOf(error: ClientError): ErrorCode {
  if (error.kind === 'cancelled') return 'CANCELLED';
  return error.kind === 'refused' && error.status === 400 ? 'BAD_INPUT' : 'NETWORK';
}

const wantsToken = (error: ClientError): boolean => error.kind === 'refused' && error.status === 401;

const advice = (tokenFrom: string | undefined): string =>
  tokenFrom === undefined ? '' : ` Set ${tokenFrom} to the token of this workspace.`;

/** Error codes about files, which are passed on; other codes become `NETWORK`. */
const OF_FILES: ReadonlySet<string> = new Set<ErrorCode>([
  'NOT_FOUND',
  'IS_DIRECTORY',
  'NOT_DIRECTORY',
  'NOT_REGULAR',
  'OUTSIDE_ROOT',
  'DENIED',
  'LOOP',
  'BAD_PATH',
  'NAME_TOO_LONG',
]);

/** The message of the server is quoted, which also limits its length. */
function errorOf(error: ClientError, name: string, tokenFrom: string | undefined): OrielError {
  const who = `The workspace ${quote(name)}`;
  if (error.kind === 'cancelled') return new OrielError('CANCELLED', error.message);
  if (error.kind !== 'refused') {
    return away(`${who}: ${said(error)}`, error.kind === 'protocol' ? 'CORRUPT' : 'NETWORK');
  }
  if (wantsToken(error)) return away(`${who} requires a token.${advice(tokenFrom)}`);
  if (error.status >= 300 && error.status < 400) {
    const message = `${who} redirects (status ${error.status}), which is not followed.`;
    return away(message, 'REDIRECT');
  }
  if (error.status === 503) return new OrielError('BUSY', `${who} is busy. Use the same call later.`);
  const answers = error.message === `The server answered ${error.status}.` ? '' : ` ("${said(error)}")`;
  const message = `${who} answered ${error.status}${answers}.`;
  const isOfFile = error.code !== undefined && OF_FILES.has(error.code);
  return isOfFile ? new OrielError(error.code as ErrorCode, message) : away(message);
}

/** The error for an unavailable workspace; it suggests the list of workspaces. */
function away(message: string, code: ErrorCode = 'NETWORK'): OrielError {
  return new OrielError(code, `${message} Use ws:// to see which workspaces answer.`, { next: 'ws://' });
}

function said({ message }: ClientError): string {
  return quote(oneLine(message.slice(0, MOST_WORDS)));
}
