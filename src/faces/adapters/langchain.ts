/** `oriel/langchain`: tools for LangChain and LangGraph. */

import { type MessageContent, ToolMessage } from '@langchain/core/messages';
import { DynamicStructuredTool, type ToolRunnableConfig } from '@langchain/core/tools';
import type { Tool } from '../../oriel.ts';
import type { Answer } from '../../types/answer.ts';
import { answerAsText, hasImage, needsPeer, parametersOf } from './blocks.ts';

/** The content of the message is what the model sees, its artifact is the whole answer, its status is `error` for a failure. */
export function langchainTools(tools: readonly Tool[]): DynamicStructuredTool[] {
  needsPeer('@langchain/core', 'langchain');
  return tools.map((tool) => {
    const offered = new DynamicStructuredTool({
      name: tool.name,
      description: tool.description,
      schema: parametersOf(tool),
      responseFormat: 'content_and_artifact',
      async func(input, _manager, config?: ToolRunnableConfig) {
        const answer = await tool.run(input, config?.signal ? { signal: config.signal } : {});
        const id = config?.toolCall?.id;
        if (!answer.isError || id === undefined) return [contentOf(answer), answer];
        const message = { name: tool.name, tool_call_id: id, content: contentOf(answer), artifact: answer };
        return [new ToolMessage({ ...message, status: 'error' }), answer];
      },
    });
    // The tool judges an input itself: it accepts other notations, and an error names the call that works.
    offered.call = offered.call.bind(Object.create(offered, { schema: { value: {} } }));
    return offered;
  });
}

function contentOf(answer: Answer): MessageContent {
  if (!hasImage(answer)) return answerAsText(answer);
  return answer.content.map((block) =>
    block.type === 'text'
      ? { type: 'text', text: block.text }
      : { type: 'image_url', image_url: { url: `data:${block.mimeType};base64,${block.data}` } },
  );
}
