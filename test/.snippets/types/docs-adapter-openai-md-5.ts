import type OpenAI from 'openai';
import { createOriel } from 'oriel';
import { responsesTools, runResponsesCall } from 'oriel/openai';

export async function ask(client: OpenAI, model: string, input: string): Promise<string> {
  const { tools } = createOriel({ roots: [process.cwd()] });
  let response = await client.responses.create({ model, input, tools: responsesTools(tools) });
  for (;;) {
    const calls = response.output.filter((item) => item.type === 'function_call');
    if (calls.length === 0) return response.output_text;
    response = await client.responses.create({
      model,
      previous_response_id: response.id,
      tools: responsesTools(tools),
      input: await Promise.all(calls.map((call) => runResponsesCall(tools, call))),
    });
  }
}
