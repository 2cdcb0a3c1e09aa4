import { generateText, type LanguageModel, stepCountIs } from 'ai';
import { createOriel } from 'oriel';
import { aiSdkTools } from 'oriel/ai-sdk';

export async function ask(model: LanguageModel, prompt: string, signal: AbortSignal): Promise<string> {
  const oriel = createOriel({ roots: [process.cwd()] });
  try {
    const tools = aiSdkTools(oriel.tools);
    const { text } = await generateText({
      model,
      prompt,
      tools,
      abortSignal: signal,
      stopWhen: stepCountIs(20),
    });
    return text;
  } finally {
    await oriel.close();
  }
}
