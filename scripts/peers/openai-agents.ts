import assert from 'node:assert/strict';
import { Agent, type Model, type ModelRequest, Runner, tool, Usage } from '@openai/agents';
import { agentTools } from 'oriel/openai-agents';
import { oriel, pictureTool } from './world.js';

const asked: ModelRequest[] = [];
const model: Model = {
  getResponse(request) {
    asked.push(request);
    const call = {
      type: 'function_call' as const,
      callId: '1',
      name: 'read',
      arguments: '{"path":"f:2..2"}',
    };
    const said = {
      type: 'message' as const,
      role: 'assistant' as const,
      status: 'completed' as const,
      content: [{ type: 'output_text' as const, text: 'done' }],
    };
    return Promise.resolve({ usage: new Usage(), output: [asked.length === 1 ? call : said] });
  },
  // eslint-disable-next-line require-yield
  async *getStreamedResponse() {
    throw new Error('not asked for');
  },
};
const agent = new Agent({
  name: 'reader',
  model,
  tools: agentTools(oriel.tools).map((options) => tool(options)),
});
const { finalOutput } = await new Runner({ tracingDisabled: true }).run(agent, 'go');
assert.equal(finalOutput, 'done');
const { input } = asked[1] as ModelRequest;
assert.deepEqual((input as { output?: unknown }[]).at(-1)?.output, { type: 'text', text: '2|b\n' });

const told: unknown[] = [];
const [read] = agentTools(oriel.tools, { onNotices: (notices, name) => told.push([name, notices[0]?.kind]) });
assert.equal(read?.strict, false);
assert(!Reflect.ownKeys(read.parameters).includes('~standard'));
assert.match(String(await read.execute('not JSON')), /^The input of read is wrong: /);
await read.execute({ path: 'f:9..9' });
assert.deepEqual(told, [['read', 'past-end']]);
const { tool: pictured, data, signal } = pictureTool();
const [picture] = agentTools([pictured]);
const stop = new AbortController();
const image = { type: 'image', image: { data, mediaType: 'image/png' } };
assert.deepEqual(await picture?.execute({}, undefined, { signal: stop.signal }), [image]);
assert.equal(signal(), stop.signal);
await oriel.close();
