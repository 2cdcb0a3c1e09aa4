/** Converts tools and answers to the types of the protocol. */

import type { CallToolResult, Tool as McpTool } from '@modelcontextprotocol/server';
import type { Tool } from '../../oriel.ts';
import { safeJson } from '../../text/json.ts';
import type { Answer } from '../../types/answer.ts';
import { FACTS_ROOM } from '../hosts.ts';

/** The key in `_meta` for the details of an answer, so that no host shows them instead of the text. */
export const DETAILS_KEY = 'io.github.oriel/details';

/** The schema of `structuredContent`. */
const structuredSchema = {
  type: 'object',
  properties: { text: { type: 'string' }, details: { type: 'object' } },
  required: ['text', 'details'],
} as const;

export function toolDefinition(tool: Tool, structured = false): McpTool {
  const { name, title, description, effects } = tool;
  const { $schema: _, ...inputSchema } = tool.jsonSchema;
  return {
    name,
    title,
    description,
    inputSchema: inputSchema as McpTool['inputSchema'],
    ...(structured && { outputSchema: structuredSchema as unknown as NonNullable<McpTool['outputSchema']> }),
    annotations: {
      title,
      readOnlyHint: effects.readOnly,
      destructiveHint: effects.destructive,
      idempotentHint: effects.idempotent,
      openWorldHint: effects.openWorld,
    },
  };
}

/**
 * Hosts show a model only `structuredContent` if it is present. So it includes the text, and is only there if the operator
 * turned it on.
 */
export function toolResult({ content, details, isError }: Answer, structured = false): CallToolResult {
  // The fields are in the order of the SDK's schemas, which plain calls skip.
  return {
    _meta: { [DETAILS_KEY]: details },
    content: content.map((block) =>
      block.type === 'text'
        ? { type: block.type, text: block.text }
        : { type: block.type, data: block.data, mimeType: block.mimeType },
    ),
    ...(structured && { structuredContent: { text: textOf(content), details: factsOf(details) } }),
    ...(isError && { isError }),
  };
}

function textOf(content: Answer['content']): string {
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
}

/** Details that are too large are only in `_meta`; here are the source, the truncation with the next call, and the error. */
function factsOf(details: Answer['details']): Record<string, unknown> {
  if (Buffer.byteLength(safeJson(details)) <= FACTS_ROOM) return { ...details };
  const { source, kind, truncation, error } = details;
  const short = { source, kind, truncation, error };
  if (Buffer.byteLength(safeJson(short)) <= FACTS_ROOM) return short;
  return { kind, ...(error !== undefined && { error: Object(error) as object }) };
}
