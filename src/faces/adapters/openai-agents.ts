/** `oriel/openai-agents`: tools for the OpenAI Agents SDK, by the part of its interface that they need. */

import type { Tool } from '../../oriel.ts';
import { hasImage, type NoticeOptions, parametersOf, parseArguments, tellNotices, textOf } from './blocks.ts';
import { needsPeer } from './peer.ts';

/** Of a tool that returns more than a text. */
export type AgentToolOutput =
  | { type: 'text'; text: string }
  | { type: 'image'; image: { data: string; mediaType: string } };

/** What `tool` of `@openai/agents` takes. */
export interface AgentToolOptions {
  name: string;
  description: string;
  parameters: {
    type: 'object';
    properties: Record<string, { type: 'string' }>;
    required: string[];
    /** So the SDK has the type; the schema itself allows no more than its properties. */
    additionalProperties: true;
  };
  strict: false;
  execute(
    input: unknown,
    context?: unknown,
    details?: { readonly signal?: AbortSignal },
  ): Promise<string | AgentToolOutput[]>;
}

/** For `tools.map((options) => tool(options))`. A failure is a text: the agent reads what would work instead. */
export function agentTools(tools: readonly Tool[], options: NoticeOptions = {}): AgentToolOptions[] {
  needsPeer('@openai/agents', 'openai-agents');
  return tools.map((tool) => ({
    name: tool.name,
    description: tool.description,
    parameters: parametersOf(tool) as unknown as AgentToolOptions['parameters'],
    // Strict mode wants every field to be required.
    strict: false,
    async execute(input, _context, details) {
      const given = typeof input === 'string' ? parseArguments(input) : input;
      const answer = await tool.run(given, details?.signal ? { signal: details.signal } : {});
      tellNotices(tool.name, answer, options);
      if (!hasImage(answer)) return textOf(answer);
      return answer.content.map((block) =>
        block.type === 'text'
          ? block
          : { type: 'image', image: { data: block.data, mediaType: block.mimeType } },
      );
    },
  }));
}
