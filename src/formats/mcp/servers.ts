/** Connections to MCP servers: opened at the first read, shared by the calls of a session, and closed with it. */

import { OrielError } from '../../errors.ts';
import { Identity } from '../../identity.ts';
import { connectMcp, type McpConnection } from '../../network/mcp-client.ts';
import { callerOf, registerCaller } from '../../queues/caller.ts';
import { memoryBytes } from '../../text/bytes.ts';
import { oneLine, quote } from '../../text/visible.ts';
import type { ComputedValue, DerivedKind, DerivedStore, StoreUser } from '../../types/session.ts';
import type { ReachedMcpServer } from '../../types/settings.ts';
import { convert } from '../web/convert.ts';

const MAX_MCP_CONNECTIONS = 64;

const connections: DerivedKind<McpConnection> = {
  name: 'mcp-connection',
  weigh: () => ({ memory: 1 << 20, descriptors: 2 }),
  lasts: ({ closed, spent }) => !closed && spent === undefined,
  dispose: (connection) => connection.close(),
};

let starting = 0;
const made = new Set<McpConnection>();

function openConnections(): number {
  for (const connection of made) if (connection.closed) made.delete(connection);
  return starting + made.size;
}

/** A server, and the store of the session that keeps its connection. */
export interface ReachedServer {
  readonly name: string;
  readonly server: ReachedMcpServer;
  readonly cwd: string;
  readonly store: DerivedStore;
}

/** Runs `ask` with the connection to a server. Throws OrielError, which says what to do. */
export async function askServer<T>(
  reached: ReachedServer,
  signal: AbortSignal,
  ask: (connection: McpConnection) => Promise<T>,
): Promise<T> {
  const ends: (() => void | Promise<void>)[] = [];
  const user: StoreUser = {
    signal,
    progress: () => undefined,
    onEnd: (release) => void ends.push(release),
  };
  try {
    const first = await connectionTo(reached, user);
    try {
      return await askOn(first, ask);
    } catch (error) {
      signal.throwIfAborted();
      // Required by the protocol: after a restart of the server a new session must be opened.
      if (first.spent !== 'session over') throw error;
      return await askOn(await connectionTo(reached, user), ask);
    }
  } catch (error) {
    signal.throwIfAborted();
    throw failed(reached, error);
  } finally {
    for (const end of ends) await end();
  }
}

function askOn<T>(connection: McpConnection, ask: (connection: McpConnection) => Promise<T>): Promise<T> {
  return ask(connection).catch((error: unknown) => {
    throw connection.failure ?? error;
  });
}

function connectionTo({ name, server, cwd, store }: ReachedServer, user: StoreUser): Promise<McpConnection> {
  return store.get(
    connections,
    memoryBytes('', Identity.of('mcp-server', { name, server: JSON.stringify(server), cwd })),
    {},
    async ({ signal }): Promise<ComputedValue<McpConnection>> => {
      if (openConnections() >= MAX_MCP_CONNECTIONS) {
        throw new OrielError(
          'BUSY',
          `${MAX_MCP_CONNECTIONS} connections to MCP servers are open. Use the same call later.`,
        );
      }
      starting += 1;
      try {
        // In the name of the caller that opened it: whatever the server sends takes one turn in the queue.
        const own = new AbortController().signal;
        registerCaller(callerOf(user.signal), own);
        const reduce = async (message: Uint8Array) => {
          const converted = await convert({ kind: 'mcp', url: 'mcp:' }, message, own);
          return converted?.reply.kind === 'text' ? converted.body : undefined;
        };
        const connection = await connectMcp(server, cwd, reduce, signal);
        made.add(connection);
        return { value: connection, keep: true };
      } catch (error) {
        signal.throwIfAborted();
        throw notStarted(name, server, error);
      } finally {
        starting -= 1;
      }
    },
    user,
  );
}

/** An error message without the server's URL in any spelling. */
function saying(message: string, server: ReachedMcpServer): string {
  if (server.command !== undefined) return message;
  const { origin, host } = new URL(server.url);
  return message
    .replaceAll(server.url, origin)
    .replace(/https?:\/\/[^\s"'<>]+/gi, (url) =>
      URL.canParse(url) && new URL(url).host === host ? new URL(url).origin : url,
    );
}

/** The system does not tell whether the program or its directory is missing. */
function placeOf(server: ReachedMcpServer): string {
  const cwd = server.command === undefined ? undefined : server.cwd;
  return cwd === undefined ? '' : `, or no directory ${quote(cwd)}`;
}

function notStarted(name: string, server: ReachedMcpServer, cause: unknown): OrielError {
  if (cause instanceof OrielError) return cause;
  const { code, message } = cause as NodeJS.ErrnoException;
  // Path and parameters of the URL may contain a key.
  const origin = URL.canParse(server.url ?? '') ? new URL(server.url as string).origin : 'its URL';
  const where = quote(server.command ?? origin);
  if (code === 'ENOENT' || code === 'EACCES') {
    return new OrielError(
      'NOT_FOUND',
      `The MCP server ${quote(name)} cannot be started: there is no program ${where}${placeOf(server)} (${code}). Use mcp:// for the servers.`,
      { next: 'mcp://', cause },
    );
  }
  return new OrielError(
    isTimeout(cause) ? 'TIMEOUT' : 'NETWORK',
    `The MCP server ${quote(name)} (${where}) does not answer: ${quote(oneLine(saying(message ?? String(cause), server)))}. Use mcp:// for the servers.`,
    { next: 'mcp://', cause },
  );
}

/** The error with the server's message, which is quoted and thereby bounded. */
function failed({ name, server }: ReachedServer, cause: unknown): OrielError {
  if (cause instanceof OrielError) return cause;
  const list = `mcp://${name}`;
  return new OrielError(
    isTimeout(cause) ? 'TIMEOUT' : 'NOT_FOUND',
    `The MCP server ${quote(name)} answers: ${quote(oneLine(saying((cause as Error).message, server))).replace(/\.$/, '')}. Use ${quote(list)} for its resources.`,
    { next: list, cause },
  );
}

function isTimeout(error: unknown): boolean {
  return (error as { readonly code?: unknown }).code === 'REQUEST_TIMEOUT';
}
