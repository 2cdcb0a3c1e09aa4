/** `oriel/openai-agents`: tools for the OpenAI Agents SDK, with types for the part of its interface that they need. */

import type { Tool } from '../../oriel.ts';
import {
  answerAsText,
  hasImage,
  needsPeer,
  type NoticeOptions,
  parametersOf,
  parseArguments,
  tellNotices,
} from './blocks.ts';

/** The output of a tool that returns more than a text. */
export type AgentToolOutput =
  | { type: 'text'; text: string }
  | { type: 'image'; image: { data: string; mediaType: string } };

/** The options of `tool` of `@openai/agents`. */
export interface AgentToolOptions {
  name: string;
  description: string;
  parameters: {
    type: 'object';
    properties: Record<string, { type: 'string' }>;
    required: string[];
    /** As the SDK types it. The schema itself does not allow further properties. */
    additionalProperties: true;
  };
  strict: false;
  execute(
    input: unknown,
    context?: unknown,
    details?: { readonly signal?: AbortSignal | undefined },
  ): Promise<string | AgentToolOutput[]>;
}

/** For `tools.map((options) => tool(options))`. A failure is returned as text, so that the agent can react to it. */
export function agentTools(tools: readonly Tool[], options: NoticeOptions = {}): AgentToolOptions[] {
  needsPeer('@openai/agents', 'openai-agents');
  return tools.map((tool) => ({
    name: tool.name,
    description: tool.description,
    parameters: parametersOf(tool) as unknown as AgentToolOptions['parameters'],
    // Strict mode would make every field required.
    strict: false,
    async execute(input, _context, details) {
      const given = typeof input === 'string' ? parseArguments(input) : input;
      const answer = await tool.run(given, details?.signal ? { signal: details.signal } : {});
      tellNotices(tool.name, answer, options);
      if (!hasImage(answer)) return answerAsText(answer);
      return answer.content.map((block) =>
        block.type === 'text'
          ? block
          : { type: 'image', image: { data: block.data, mediaType: block.mimeType } },
      );
    },
  }));
}
