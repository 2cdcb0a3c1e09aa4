import type Anthropic from '@anthropic-ai/sdk';
import { createOriel } from 'oriel';
import { anthropicTools } from 'oriel/anthropic';

export async function ask(client: Anthropic, model: string, prompt: string): Promise<string> {
  const { tools } = createOriel({ roots: [process.cwd()] });
  const { content } = await client.beta.messages.toolRunner({
    model,
    max_tokens: 4096,
    messages: [{ role: 'user', content: prompt }],
    tools: anthropicTools(tools),
  });
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('');
}
