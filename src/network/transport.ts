/** Creates the transport to an MCP server: pipes to a process, or HTTP to a URL. */

import { StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import type { OrielError } from '../errors.ts';
import type { ReachedMcpServer } from '../types/settings.ts';
import { mcpFetch, type ReduceMessage } from './mcp-http.ts';
import { StdioClientTransport } from './mcp-stdio.ts';

/** Maximum bytes of a message, or of an HTTP response: base64 of 12 MiB fits. */
const MAX_MCP_MESSAGE_BYTES = 16 << 20;

export function transportTo(
  server: ReachedMcpServer,
  cwd: string,
  reduce: ReduceMessage,
  failed: (error: OrielError) => void,
): { readonly transport: Transport; release(): Promise<void> } {
  if (server.command !== undefined) {
    const { command, args = [], env = {} } = server;
    const transport = new StdioClientTransport({
      command,
      args,
      cwd,
      env: { ...basicEnvironment(), ...env },
      maxMessage: MAX_MCP_MESSAGE_BYTES,
      reduce,
    });
    return { transport, release: () => Promise.resolve() };
  }
  const url = new URL(server.url);
  const { fetch, close } = mcpFetch(url, {
    maxBytes: MAX_MCP_MESSAGE_BYTES,
    reduce,
    failed,
    addresses: server.addresses,
  });
  const transport = new StreamableHTTPClientTransport(url, {
    fetch,
    requestInit: { headers: { ...server.headers } },
    reconnectionOptions: {
      maxRetries: 0,
      initialReconnectionDelay: 1_000,
      maxReconnectionDelay: 1_000,
      reconnectionDelayGrowFactor: 1,
    },
  });
  return { transport, release: close };
}

/** Variables that programs need and that contain no secrets: those of the SDK's `getDefaultEnvironment`, locales, TMPDIR. */
const BASIC =
  /^(?:HOME|LOGNAME|PATH|SHELL|TERM|USER|TMPDIR|LANG|LC_[A-Z]+|TZ|APPDATA|COMSPEC|HOMEDRIVE|HOMEPATH|LOCALAPPDATA|PATHEXT|PROCESSOR_ARCHITECTURE|PROGRAMDATA|PROGRAMFILES|SYSTEMDRIVE|SYSTEMROOT|TEMP|USERNAME|USERPROFILE|WINDIR)$/i;

export function basicEnvironment(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).filter(
      (entry): entry is [string, string] => entry[1] !== undefined && BASIC.test(entry[0]),
    ),
  );
}
