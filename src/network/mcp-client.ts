/**
 * Connects to an MCP server with the official client (@modelcontextprotocol/client: 8.4 MB installed with what it
 * depends on, 160 ms of CPU to load, loaded with the first server). Everything is bounded in time and bytes.
 */

import {
  Client,
  ProtocolError,
  type RequestOptions,
  SdkHttpError,
  type Transport,
} from '@modelcontextprotocol/client';
import type { OrielError } from '../errors.ts';
import { version } from '../files/package-files.ts';
import type { ReachedMcpServer } from '../types/settings.ts';
import type { ReduceMessage } from './mcp-http.ts';
import { StdioClientTransport } from './mcp-stdio.ts';
import { transportTo } from './transport.ts';

interface McpResource {
  readonly uri: string;
  readonly about: string;
}

export interface McpContent {
  readonly uri: string;
  readonly mimeType: string | undefined;
  readonly content: string | Uint8Array;
}

export interface McpRead {
  readonly parts: readonly McpContent[];
  /** Whether there are more parts. */
  readonly more: boolean;
}

export interface McpListing {
  readonly resources: readonly McpResource[];
  readonly templates: readonly McpResource[];
  /** Whether the server has more resources. */
  readonly more: boolean;
}

export interface McpConnection {
  /** Whether the server has exited, or `close` was called. */
  readonly closed: boolean;
  /**
   * Why the next call must use a new connection: the server has ended the session (then the failed call may be repeated), or
   * it has failed without an answer. Running calls may still succeed.
   */
  readonly spent: Spent | undefined;
  /** Why oriel ended it: the server sent too much. */
  readonly failure: OrielError | undefined;
  /** Throws the errors of the client; so does `read`. */
  list(signal: AbortSignal): Promise<McpListing>;
  read(uri: string, signal: AbortSignal): Promise<McpRead>;
  /** Ends the server if it is a child process. */
  close(): Promise<void>;
}

type Spent = 'session over' | 'failed';

/** Timeouts in milliseconds: for the start with the handshake, and for a request. */
const START_MS = 15_000;
const REQUEST_MS = 15_000;

/** Maximum names in a list, pages that are requested for it, and parts of a resource. */
const MAX_MCP_NAMES = 1_000;
const MAX_MCP_LIST_PAGES = 20;
const MAX_MCP_RESOURCE_PARTS = 1_000;

const MAX_MCP_DESCRIPTION_CHARACTERS = 1_000;

/** Throws the error of the start, the connection or the handshake. */
export async function connectMcp(
  server: ReachedMcpServer,
  cwd: string,
  reduce: ReduceMessage,
  signal: AbortSignal,
): Promise<McpConnection> {
  let refused: OrielError | undefined;
  let closed = false;
  const { transport, release } = transportTo(server, cwd, reduce, (error) => {
    if (closed) return;
    refused = error;
    void close();
  });
  const client = new Client({ name: 'oriel', version: version() }, { capabilities: {} });
  Object.assign(client, {
    onclose() {
      closed = true;
    },
  });
  const close = async (): Promise<void> => {
    closed = true;
    await client.close();
    await transport.close();
    await release();
  };
  try {
    await client.connect(transport, { signal, timeout: START_MS, maxTotalTimeout: START_MS });
  } catch (error) {
    await close();
    throw error;
  }
  let spent: Spent | undefined;
  const asked = async <T>(until: AbortSignal, ask: (bounds: RequestOptions) => Promise<T>): Promise<T> => {
    const heard = heardFrom(transport);
    try {
      return await ask({ signal: until, timeout: REQUEST_MS, maxTotalTimeout: REQUEST_MS });
    } catch (error) {
      if (!until.aborted) spent = spentBy(error, transport, heard) ?? spent;
      throw error;
    }
  };
  return {
    get closed() {
      return closed;
    },
    get spent() {
      return spent;
    },
    get failure() {
      return transport instanceof StdioClientTransport ? transport.failure : refused;
    },
    close,
    // Generic requests, because the client's own methods print on standard output if a server has no resources.
    async list(until) {
      if (!client.getServerCapabilities()?.resources) return { resources: [], templates: [], more: false };
      const resources = await pages(async (params) => {
        const page = await asked(until, (bounds) =>
          client.request({ method: 'resources/list', params }, bounds),
        );
        return { items: page.resources.map(described), next: page.nextCursor };
      });
      const templates = await pages(async (params) => {
        const page = await asked(until, (bounds) =>
          client.request({ method: 'resources/templates/list', params }, bounds),
        );
        return {
          items: page.resourceTemplates.map((one) => described({ ...one, uri: one.uriTemplate })),
          next: page.nextCursor,
        };
      }).catch(() => {
        // Servers without templates may answer with an error.
        until.throwIfAborted();
        return { items: [], more: false };
      });
      return {
        resources: resources.items,
        templates: templates.items,
        more: resources.more || templates.more,
      };
    },
    async read(uri, until) {
      const { contents } = await asked(until, (bounds) =>
        client.request({ method: 'resources/read', params: { uri } }, bounds),
      );
      const parts = contents.slice(0, MAX_MCP_RESOURCE_PARTS).map((one) => ({
        uri: one.uri,
        mimeType: one.mimeType,
        content: 'text' in one ? one.text : Buffer.from(one.blob, 'base64'),
      }));
      return { parts, more: contents.length > MAX_MCP_RESOURCE_PARTS };
    },
  };
}

/** The number of messages from a process; undefined over HTTP, where each response succeeds or fails separately. */
function heardFrom(transport: Transport): number | undefined {
  return transport instanceof StdioClientTransport ? transport.heard : undefined;
}

/**
 * `heard`: the number of messages that a process had sent when the request was made. A process without a
 * message since then hangs.
 */
function spentBy(error: unknown, transport: Transport, heard: number | undefined): Spent | undefined {
  if (error instanceof ProtocolError) return undefined;
  if (heard !== undefined) return heardFrom(transport) === heard ? 'failed' : undefined;
  // By the protocol an ended session gives 404; servers that follow the examples of the SDKs answer 400.
  const isOver = error instanceof SdkHttpError && (error.status === 404 || error.status === 400);
  return isOver && transport.sessionId !== undefined ? 'session over' : 'failed';
}

interface Page {
  readonly items: readonly McpResource[];
  readonly next: string | undefined;
}

/** Requests a limited number of pages; the client's own method would request all of them. */
async function pages(
  page: (params: { cursor?: string | undefined }) => Promise<Page>,
): Promise<{ readonly items: readonly McpResource[]; readonly more: boolean }> {
  const items: McpResource[] = [];
  let cursor: string | undefined;
  for (let i = 0; i < MAX_MCP_LIST_PAGES && items.length < MAX_MCP_NAMES; i += 1) {
    const found = await page(cursor === undefined ? {} : { cursor });
    items.push(...found.items);
    if (found.next === undefined || found.next === cursor) {
      return { items: items.slice(0, MAX_MCP_NAMES), more: items.length > MAX_MCP_NAMES };
    }
    cursor = found.next;
  }
  return { items: items.slice(0, MAX_MCP_NAMES), more: true };
}

function described({
  uri,
  name,
  title,
  description,
}: {
  readonly uri: string;
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
}): McpResource {
  const words = [title ?? name, description].filter(
    (word) => word !== undefined && word !== '' && word !== uri,
  );
  return { uri, about: words.join(': ').slice(0, MAX_MCP_DESCRIPTION_CHARACTERS) };
}
