import type { AIMessage, ToolMessage } from '@langchain/core/messages';
import { createOriel } from 'oriel';
import { langchainTools } from 'oriel/langchain';

const oriel = createOriel({ roots: [process.cwd()] });
export const tools = langchainTools(oriel.tools); // for model.bindTools(tools), or an agent

export function answers({ tool_calls = [] }: AIMessage, signal: AbortSignal): Promise<ToolMessage[]> {
  return Promise.all(
    tool_calls.flatMap((call) => {
      const tool = tools.find(({ name }) => name === call.name);
      return tool ? [tool.invoke({ ...call, type: 'tool_call' }, { signal }) as Promise<ToolMessage>] : [];
    }),
  );
}
