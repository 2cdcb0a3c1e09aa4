import type OpenAI from 'openai';
import { createOriel } from 'oriel';
import { chatTools } from 'oriel/openai';

export async function chat(client: OpenAI, model: string, prompt: string): Promise<string | null> {
  const { tools } = createOriel({ roots: [process.cwd()] });
  const messages = [{ role: 'user' as const, content: prompt }];
  return client.chat.completions.runTools({ model, messages, tools: chatTools(tools) }).finalContent();
}
