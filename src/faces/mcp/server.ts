/** Owns what an MCP server of ours answers to: tools and resources, in every protocol version that the SDK serves. */

import {
  CLIENT_INFO_META_KEY,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { version } from '../../access/package-files.ts';
import { explained, report } from '../../engine/unexpected.ts';
import { isOrielError } from '../../errors.ts';
import type { Caller } from '../../queues/caller.ts';
import type { Offer } from '../offer.ts';
import { progressTo } from './progress.ts';
import { artifactTemplate, completeArtifact, listArtifacts, readResource } from './resources.ts';
import { toolDefinition, toolResult } from './tool-result.ts';

export interface McpOptions {
  /** Put facts into `structuredContent` too. */
  readonly structured?: boolean;
  /** What the client calls itself, where the protocol does not say. */
  readonly host?: string | undefined;
  /** Whose calls these are; those of a session of its own when absent. */
  readonly caller?: Caller | undefined;
}

/** Milliseconds for which a client may keep the list of tools: it is the same for as long as the server runs. */
const TOOLS_FRESH_MS = 3_600_000;

export function createMcpServer(
  offer: Offer,
  { structured = false, host, caller = {} }: McpOptions = {},
): Server {
  const server = new Server(
    { name: 'oriel', title: 'oriel', version: version() },
    {
      capabilities: { tools: {}, resources: {}, completions: {} },
      cacheHints: { 'tools/list': { ttlMs: TOOLS_FRESH_MS, cacheScope: 'private' } },
    },
  );
  Object.assign(server, { onerror: (error: Error) => report(offer.engine.onError, explained(error)) });
  const hostOf = (context: ServerContext): string | undefined =>
    nameInEnvelope(context) ?? server.getClientVersion()?.name ?? host;

  server.setRequestHandler('tools/list', (_request, context) => {
    // Between this answer and the first call a model thinks: there is time to load what calls need.
    setImmediate(() => void offer.prepare());
    return { tools: offer.tools(hostOf(context)).map((tool) => toolDefinition(tool, structured)) };
  });
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const tool = offer.find(params.name, hostOf(context));
    if (isOrielError(tool)) throw new ProtocolError(ProtocolErrorCode.InvalidParams, tool.message);
    const progress = progressTo(context);
    const answer = await offer.call(tool, params.arguments ?? {}, {
      signal: context.mcpReq.signal,
      caller,
      ...(progress && { onProgress: progress.tell }),
    });
    progress?.end();
    return toolResult(answer, structured);
  });
  server.setRequestHandler('resources/list', () => ({ resources: listArtifacts(offer) }));
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [artifactTemplate] }));
  server.setRequestHandler('resources/read', ({ params }, context) =>
    readResource(offer, params.uri, { signal: context.mcpReq.signal, caller }),
  );
  server.setRequestHandler('completion/complete', ({ params: { ref, argument } }) => {
    const known =
      ref.type === 'ref/resource' && ref.uri === artifactTemplate.uriTemplate && argument.name === 'id';
    return { completion: known ? completeArtifact(offer, argument.value) : { values: [] } };
  });
  return server;
}

/** Since 2026-07-28 each request says who sends it; before, only the first one did. */
function nameInEnvelope({ mcpReq }: ServerContext): string | undefined {
  const envelope = mcpReq.envelope as Readonly<Record<string, unknown>> | undefined;
  const { name } = Object(envelope?.[CLIENT_INFO_META_KEY]) as { name?: unknown };
  return typeof name === 'string' ? name : undefined;
}
