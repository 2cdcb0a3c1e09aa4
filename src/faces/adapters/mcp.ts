/** Owns `oriel/mcp`: tools on an MCP server that is there already. */

import type { McpServer, RegisteredTool, StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import type { Tool } from '../../oriel.ts';
import { progressTo } from '../mcp/progress.ts';
import { toolDefinition, toolResult } from '../mcp/tool-result.ts';

export interface RegisterOptions {
  /** Put text and facts into `structuredContent` too. Hosts then show a model that instead of the text. */
  readonly structured?: boolean;
}

/** Registers each tool beside the server's own. Cancellation and progress of the protocol reach the work. */
export function registerTools(
  server: McpServer,
  tools: readonly Tool[],
  { structured = false }: RegisterOptions = {},
): RegisteredTool[] {
  return tools.map((tool) => {
    const { title, description, annotations, outputSchema } = toolDefinition(tool, structured);
    return server.registerTool(
      tool.name,
      {
        ...(title !== undefined && { title }),
        ...(description !== undefined && { description }),
        ...(annotations && { annotations }),
        inputSchema: schemaOf(tool.jsonSchema),
        ...(outputSchema && { outputSchema: schemaOf(outputSchema) }),
      },
      async (input, context) => {
        const progress = progressTo(context);
        const { signal } = context.mcpReq;
        const answer = await tool.run(input, { signal, ...(progress && { onProgress: progress.tell }) });
        progress?.end();
        return toolResult(answer, structured);
      },
    );
  });
}

/** Shows the schema and lets everything through: the tool checks its input itself, and says what would work. */
function schemaOf(jsonSchema: Readonly<Record<string, unknown>>): StandardSchemaWithJSON {
  const { $schema: _, ...schema } = jsonSchema;
  return {
    '~standard': {
      version: 1,
      vendor: 'oriel',
      validate: (value) => ({ value }),
      jsonSchema: { input: () => schema, output: () => schema },
    },
  };
}
