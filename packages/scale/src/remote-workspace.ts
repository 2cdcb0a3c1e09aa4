/** Adapts the client of a remote workspace to the engine's interface: failures become OrielErrors. */

import type { ErrorCode, OrielError } from '../../../src/errors.ts';
import type {
  ClientError,
  ClientOptions,
  ClientRequest,
  SendRequest,
} from '../../../src/faces/client/client-request.ts';
import type {
  Workspace,
  WorkspaceBytes,
  WorkspaceBytesQuery,
  WorkspaceFiles,
  WorkspaceList,
  WorkspaceListQuery,
} from '../../../src/types/settings.ts';
import { oriel } from './oriel.ts';

/** Maximum characters of a message of the server that is shown to a model. */
const MAX_SERVER_MESSAGE_CHARACTERS = 500;

interface RemoteOptions {
  /** The caller's name for it. */
  readonly name?: string | undefined;
  /** Where its token comes from, for the error if it is missing: `the variable ORIEL_TOKEN_DEV`. */
  readonly tokenFrom?: string | undefined;
  /** Timeout of a request in milliseconds. */
  readonly requestMs?: number | undefined;
}

export function remoteWorkspace(
  options: ClientOptions,
  { name = 'it', tokenFrom, requestMs }: RemoteOptions = {},
): Workspace {
  const client = oriel.createClient(options);
  const send = oriel.sender(options);
  const token = { isGiven: options.token !== undefined, from: tokenFrom };
  const failure = (error: ClientError): OrielError => errorOf(error, name, token);
  return {
    async readFileLines({ path, ...asked }) {
      const result = await client.readFileLines(path, asked);
      if (result.ok) return result.value;
      const { error } = result;
      const message = oriel.oneLine(error.message.slice(0, MAX_SERVER_MESSAGE_CHARACTERS));
      throw new oriel.OrielError(codeOf(error), wantsToken(error) ? `${message}${advice(token)}` : message);
    },
    files: remoteFiles(send, { name, origin: oriel.serverBaseUrl(options.url), failure, requestMs }),
  };
}

/** The code of a refused request. Errors of the file system are not refusals: they are in the response. */
function codeOf(error: ClientError): ErrorCode {
  if (error.kind === 'cancelled') return 'CANCELLED';
  return error.kind === 'refused' && error.status === 400 ? 'BAD_INPUT' : 'NETWORK';
}

const wantsToken = (error: ClientError): boolean => error.kind === 'refused' && error.status === 401;

interface SentToken {
  readonly isGiven: boolean;
  readonly from: string | undefined;
}

const advice = ({ from }: SentToken): string =>
  from === undefined ? '' : ` Set ${from} to the token of this workspace.`;

/** Error codes about files, which are passed on; other codes become `NETWORK`. */
const OF_FILES: ReadonlySet<string> = new Set<ErrorCode>([
  'NOT_FOUND',
  'IS_DIRECTORY',
  'NOT_DIRECTORY',
  'NOT_REGULAR',
  'OUTSIDE_ROOT',
  'DENIED',
  'PRIVATE',
  'LOOP',
  'BAD_PATH',
  'NAME_TOO_LONG',
]);

/** The message of the server is quoted, which also limits its length, without a call that works there alone. */
function errorOf(error: ClientError, name: string, token: SentToken): OrielError {
  const who = `The workspace ${oriel.quote(name)}`;
  if (error.kind === 'cancelled') return new oriel.OrielError('CANCELLED', error.message);
  if (error.kind !== 'refused') {
    return away(`${who}: ${said(error)}`, error.kind === 'protocol' ? 'CORRUPT' : 'NETWORK');
  }
  if (wantsToken(error))
    return away(
      `${who} ${token.isGiven ? 'does not accept the token' : 'requires a token'}.${advice(token)}`,
    );
  if (error.status >= 300 && error.status < 400) {
    const message = `${who} redirects (status ${error.status}), which is not followed.`;
    return away(message, 'REDIRECT');
  }
  if (error.status === 503) return new oriel.OrielError('BUSY', `${who} is busy. Use the same call later.`);
  const answers = error.message === `The server answered ${error.status}.` ? '' : ` ("${said(error)}")`;
  const message = `${who} answered ${error.status}${answers}.`;
  if (error.code === undefined || !OF_FILES.has(error.code)) return away(message);
  const next = `ws://${name}/`;
  const words = `${message} Use ${oriel.quote(next)} for the list.`;
  return new oriel.OrielError(error.code as ErrorCode, words, { next });
}

/** The error for an unavailable workspace; it suggests the list of workspaces. */
function away(message: string, code: ErrorCode = 'NETWORK'): OrielError {
  return new oriel.OrielError(code, `${message} Use ws:// to see which workspaces answer.`, {
    next: 'ws://',
  });
}

function said({ message }: ClientError): string {
  const words = message.slice(0, MAX_SERVER_MESSAGE_CHARACTERS);
  return oriel.quote(oriel.oneLine(words.replace(/ Use \S+ to list the working directory\.$/, '')));
}

// Reads files and directories of a remote workspace for `ws://NAME/path`: byte ranges, and pages of entries.

/** Timeout of a complete request in milliseconds, even if bytes arrive slowly. */
const REQUEST_MS = 20_000;

/** Timeout of a health check in milliseconds. */
const CHECK_MS = 2_000;

/** Bytes of an entry in a listing, for the maximum size of the response. */
const BYTES_PER_ENTRY = 5_000;

/** Maximum bytes of a name. */
const MAX_REMOTE_NAME_BYTES = 1_024;

interface RemoteFilesOptions {
  readonly name: string;
  readonly origin: string;
  readonly failure: (error: ClientError) => OrielError;
  readonly requestMs?: number | undefined;
}

function remoteFiles(
  send: SendRequest,
  { name, origin, failure, requestMs = REQUEST_MS }: RemoteFilesOptions,
): WorkspaceFiles {
  /** Sends a request and processes its response within `ms` milliseconds. Throws OrielError, also `TIMEOUT`. */
  async function within<T>(
    exchange: Omit<ClientRequest, 'repeatable'>,
    ms: number,
    take: (response: Response) => Promise<T>,
  ): Promise<T> {
    const late = AbortSignal.timeout(ms);
    const signal = exchange.signal ? AbortSignal.any([exchange.signal, late]) : late;
    const fail = (error: ClientError): OrielError => {
      exchange.signal?.throwIfAborted();
      return late.aborted ? tooSlow(name, ms) : failure(error);
    };
    const sent = await send({ ...exchange, signal, repeatable: true });
    if (!sent.ok) throw fail(sent.error);
    try {
      return await take(sent.value);
    } catch (error) {
      if (error instanceof oriel.OrielError) throw error;
      throw fail({ kind: 'network', message: `The answer broke off: ${(error as Error).message}.` });
    }
  }
  return {
    origin,
    readFile: ({ path, headers, mostBytes, signal }: WorkspaceBytesQuery) =>
      within<WorkspaceBytes>(
        {
          method: 'GET',
          path: '/api/v0/read-file',
          query: { path, relativity: 'cwd' },
          headers: { 'accept-encoding': 'identity', ...headers },
          signal,
          // The file has another version; the range is past the end.
          accepts: [412, 416],
        },
        requestMs,
        async (response) => ({
          status: response.status,
          headers: Object.fromEntries(response.headers),
          ...(await firstBytes(response, mostBytes)),
        }),
      ),
    listDirectory: ({ path, offset, limit, signal }: WorkspaceListQuery) =>
      within(
        { method: 'POST', path: '/api/v0/list-directory', body: { path, offset, limit }, signal },
        requestMs,
        async (response) => {
          const { body, cut } = await firstBytes(response, limit * BYTES_PER_ENTRY);
          if (cut) throw notListed(name, 'its answer is longer than such a list can be');
          return listIn(body, { offset, limit }, name);
        },
      ),
    check: (signal) =>
      within({ method: 'GET', path: '/healthz', signal }, CHECK_MS, async (response) => {
        await firstBytes(response, 1_000);
      }),
  };
}

async function firstBytes(response: Response, most: number): Promise<{ body: Uint8Array; cut: boolean }> {
  const chunks: Uint8Array[] = [];
  let room = most;
  let cut = false;
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk.subarray(0, room));
    cut = chunk.length > room;
    if (cut) break;
    room -= chunk.length;
  }
  return { body: joined(chunks), cut };
}

function joined(chunks: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}

/** Drops names that contain a path. Throws `CORRUPT` for an invalid list. */
function listIn(
  body: Uint8Array,
  { offset, limit }: Pick<WorkspaceListQuery, 'offset' | 'limit'>,
  name: string,
): WorkspaceList {
  const { contents, total, more } = Object(parsed(body)) as Readonly<Record<string, unknown>>;
  if (!Array.isArray(contents) || !Number.isSafeInteger(total)) throw notListed(name, 'it answers no list');
  const page = contents.slice(0, limit);
  const entries = page.flatMap((entry: unknown) => {
    const { name: called, type } = Object(entry) as Readonly<Record<string, unknown>>;
    return typeof called === 'string' && isName(called) ? [{ name: called, type: String(type) }] : [];
  });
  const follows = more === true && page.length > 0;
  return { entries, total: total as number, next: follows ? offset + page.length : undefined };
}

function isName(name: string): boolean {
  return (
    name !== '' &&
    name !== '.' &&
    name !== '..' &&
    !name.includes('/') &&
    name.length <= MAX_REMOTE_NAME_BYTES
  );
}

function parsed(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body));
  } catch {
    return undefined;
  }
}

const notListed = (name: string, why: string): OrielError =>
  new oriel.OrielError('CORRUPT', `The workspace ${oriel.quote(name)} is not listed: ${why}.`);

const tooSlow = (name: string, ms: number): OrielError =>
  new oriel.OrielError(
    'TIMEOUT',
    `The workspace ${oriel.quote(name)} took longer than ${ms / 1000} seconds. Use the same call later.`,
  );
