/** Tools and a prompt of the suite that need several rounds, as since 2026-07-28: the client sends a call again with input. */

import {
  acceptedContent,
  createRequestStateCodec,
  inputRequired,
  type InputRequiredResult,
  type McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { text } from './fixtures.ts';

const fixture = { description: 'A fixture of the conformance suite.', inputSchema: z.object({}) };

/** What a round knew is signed: it comes back through the client. */
export const stateCodec = createRequestStateCodec<{ round: number }>({ key: 'k'.repeat(32) });

const ask = (
  message: string,
  name: string,
  answer: { type: 'string' } | { type: 'boolean' } = { type: 'string' },
) =>
  inputRequired.elicit({
    message,
    requestedSchema: { type: 'object', properties: { [name]: answer }, required: [name] },
  });

const question = (words: string, maxTokens: number) =>
  inputRequired.createMessage({ messages: [{ role: 'user', content: text(words) }], maxTokens });

type Outcome = { content: ReturnType<typeof text>[] } | InputRequiredResult;

const done = (words: string): Outcome => ({ content: [text(words)] });

export function registerRounds(server: McpServer): void {
  const add = (name: string, run: (context: ServerContext) => Outcome | Promise<Outcome>): void =>
    void server.registerTool(`test_input_required_result_${name}`, fixture, (_input, context) =>
      run(context),
    );
  const responses = ({ mcpReq }: ServerContext): Record<string, unknown> => mcpReq.inputResponses ?? {};

  add('elicitation', (context) => {
    const name = acceptedContent(context.mcpReq.inputResponses, 'user_name', z.object({ name: z.string() }));
    if (name) return done(`Hello, ${name.name}!`);
    return inputRequired({ inputRequests: { user_name: ask('What is your name?', 'name') } });
  });
  add('sampling', (context) => {
    const reply = responses(context)['capital_question'];
    if (reply) return done(JSON.stringify(reply));
    return inputRequired({
      inputRequests: { capital_question: question('What is the capital of France?', 100) },
    });
  });
  add('list_roots', (context) => {
    const roots = responses(context)['client_roots'];
    if (roots) return done(JSON.stringify(roots));
    return inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } });
  });
  add('multiple_inputs', async (context) => {
    if (context.mcpReq.requestState()) return done(Object.keys(responses(context)).join(', '));
    return inputRequired({
      inputRequests: {
        user_name: ask('What is your name?', 'name'),
        greeting: question('Generate a greeting', 50),
        client_roots: inputRequired.listRoots(),
      },
      requestState: await stateCodec.mint({ round: 1 }),
    });
  });
  add('multi_round', async (context) => {
    const round = context.mcpReq.requestState<{ round: number }>()?.round ?? 0;
    if (round === 2) return done('All rounds are done.');
    const [key, message, name] =
      round === 0
        ? ['step1', 'Step 1: What is your name?', 'name']
        : ['step2', 'Step 2: What is your favorite color?', 'color'];
    return inputRequired({
      inputRequests: { [key as string]: ask(message as string, name as string) },
      requestState: await stateCodec.mint({ round: round + 1 }),
    });
  });
  for (const name of ['request_state', 'tampered_state']) {
    add(name, async (context) => {
      if (context.mcpReq.requestState()) return done('state-ok');
      return inputRequired({
        inputRequests: { confirm: ask('Please confirm', 'ok', { type: 'boolean' }) },
        requestState: await stateCodec.mint({ round: 1 }),
      });
    });
  }
  add('capabilities', ({ mcpReq }) => {
    const envelope = mcpReq.envelope as Record<string, Record<string, unknown> | undefined> | undefined;
    const can = envelope?.['io.modelcontextprotocol/clientCapabilities'] ?? {};
    return inputRequired({
      inputRequests: {
        ...('sampling' in can && { greeting: question('Generate a greeting', 50) }),
        ...('elicitation' in can && { user_name: ask('What is your name?', 'name') }),
      },
    });
  });
  registerNeedy(server);
}

/** What cannot work without a capability of the client's, in a tool and in a prompt. */
function registerNeedy(server: McpServer): void {
  server.registerTool('test_missing_capability', fixture, () =>
    inputRequired({ inputRequests: { greeting: question('Generate a greeting', 50) } }),
  );
  server.registerTool('test_streaming_elicitation', fixture, (_input, { mcpReq }) => {
    if (mcpReq.inputResponses) return done('Answered.');
    return inputRequired({ inputRequests: { user_name: ask('What is your name?', 'name') } });
  });
  server.registerPrompt('test_input_required_result_prompt', { description: 'Asks first.' }, ({ mcpReq }) => {
    if (mcpReq.inputResponses) return { messages: [{ role: 'user', content: text('With context.') }] };
    return inputRequired({
      inputRequests: { user_context: ask('What context should the prompt use?', 'context') },
    });
  });
}
