/** `oriel/mcp`: registers the tools on an existing MCP server. */

import type { McpServer } from '@modelcontextprotocol/server';
import { looseObject, type ZodType } from 'zod';
import { runSized, type Tool } from '../../oriel.ts';
import { fittedTo } from '../hosts.ts';
import { hostIn, progressTo, toolDefinition, toolResult, wantsDetails } from '../mcp/tool-result.ts';
import { needsPeer, openSchema } from './blocks.ts';

export interface RegisterOptions {
  /** Also return text and details as `structuredContent`. Hosts then show a model that instead of the text. */
  readonly structured?: boolean | undefined;
}

// The servers by their shape: an installation has the types of only one of the packages.

/** `McpServer` of `@modelcontextprotocol/server`; `R` is its `RegisteredTool`. */
export interface McpServerV2<R> {
  readonly server: { getClientVersion(): { readonly name: string } | undefined };
  registerTool(name: string, config: never, callback: never): R;
}

/** `McpServer` of `@modelcontextprotocol/sdk` 1.23 or newer. */
export interface McpServerV1 {
  /** Deprecated in version 1, removed in version 2. */
  tool(name: never, callback: never): unknown;
  readonly server?: { getClientVersion(): { readonly name: string } | undefined } | undefined;
  registerTool(name: string, config: never, callback: never): unknown;
}

/** The second argument of a tool's callback in version 1. */
interface ExtraV1 {
  readonly signal: AbortSignal;
  readonly _meta?: { readonly progressToken?: string | number | undefined } | undefined;
  sendNotification(notification: object): Promise<void>;
}

/**
 * Registers the tools on a server, with support for the protocol's cancellation and progress. The server may also be one of
 * version 1 of the SDK, as in the Claude Agent SDK; then nothing is returned.
 */
export function registerTools(
  server: McpServerV1,
  tools: readonly Tool[],
  options?: RegisterOptions,
): undefined;
export function registerTools<R>(
  server: McpServerV2<R>,
  tools: readonly Tool[],
  options?: RegisterOptions,
): R[];
export function registerTools(
  server: McpServerV1 | McpServerV2<unknown>,
  tools: readonly Tool[],
  { structured = false }: RegisterOptions = {},
): unknown[] | undefined {
  if (!('tool' in server)) return tools.map((tool) => register(server as McpServer, tool, structured));
  needsPeer('@modelcontextprotocol/sdk', 'mcp');
  for (const tool of tools) registerInV1(server, tool, structured);
  return undefined;
}

function register(server: McpServer, tool: Tool, structured: boolean): unknown {
  const { outputSchema, ...config } = configOf(tool, structured);
  return server.registerTool(
    tool.name,
    {
      ...config,
      inputSchema: openSchema(tool.jsonSchema),
      ...(outputSchema && { outputSchema: openSchema(outputSchema) }),
    },
    (input, { mcpReq }) =>
      resultOf(tool, input, { asked: mcpReq, client: server.server.getClientVersion()?.name, structured }),
  );
}

function registerInV1(server: McpServerV1, tool: Tool, structured: boolean): void {
  const { outputSchema, ...config } = configOf(tool, structured);
  const declared = {
    ...config,
    inputSchema: zodSchemaOf(tool.jsonSchema),
    outputSchema: outputSchema ? zodSchemaOf(outputSchema) : undefined,
  };
  const callback = (input: unknown, { signal, _meta, sendNotification }: ExtraV1) => {
    const asked = { signal, _meta, notify: sendNotification };
    return resultOf(tool, input, { asked, client: server.server?.getClientVersion()?.name, structured });
  };
  server.registerTool(tool.name, declared as never, callback as never);
}

interface AskedCall {
  readonly asked: Parameters<typeof progressTo>[0]['mcpReq'] & Parameters<typeof hostIn>[0];
  /** The name of the client program. */
  readonly client: string | undefined;
  readonly structured: boolean;
}

/** The answer is of the size that a host passes on, as in the servers of oriel. */
async function resultOf(tool: Tool, input: unknown, { asked, client, structured }: AskedCall) {
  const progress = progressTo({ mcpReq: asked });
  const host = { ...hostIn(asked, client), structured: structured || undefined };
  const options = { signal: asked.signal, onProgress: progress?.tell };
  const answer = await runSized(tool, (own) => fittedTo(host, own), input, options);
  progress?.end();
  return toolResult(answer, { structured, detailed: wantsDetails(asked._meta) });
}

function configOf(tool: Tool, structured: boolean) {
  const { annotations = {}, outputSchema, _meta } = toolDefinition(tool, { structured });
  const { title, description } = tool;
  return { title, description, annotations, ...(_meta && { _meta }), outputSchema };
}

/** As `openSchema`, for version 1, which only accepts schemas of Zod. */
function zodSchemaOf(jsonSchema: Readonly<Record<string, unknown>>): ZodType {
  const { $schema: _, ...schema } = jsonSchema;
  const open = looseObject({});
  open._zod.toJSONSchema = () => schema;
  return open;
}
