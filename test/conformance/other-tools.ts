/** Tools of the suite that do what no tool of ours does: they stand beside ours on the same server. */

import { fromJsonSchema, type McpServer, type ServerContext } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { embedded, image, text, wait, WAV } from './fixtures.ts';

const description = 'A fixture of the conformance suite.';
const nothing = { description, inputSchema: z.object({}) };

export function registerOtherTools(server: McpServer): void {
  server.registerTool('test_audio_content', nothing, () => ({
    content: [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }],
  }));
  server.registerTool('test_embedded_resource', nothing, () => ({
    content: [embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')],
  }));
  server.registerTool('test_multiple_content_types', nothing, () => ({
    content: [
      text('Multiple content types test:'),
      image,
      embedded('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
    ],
  }));
  for (const name of ['test_tool_with_logging', 'test_logging_tool']) {
    server.registerTool(name, nothing, async (_input, context) => {
      for (const words of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
        await context.mcpReq.log('info', words);
        await wait(50);
      }
      return { content: [text('Logged.')] };
    });
  }
  registerAskingTools(server);
  registerSchemaTools(server);
  server.registerTool('test_trigger_tool_change', nothing, () => {
    server.sendToolListChanged();
    return { content: [text('Told.')] };
  });
  server.registerTool('test_trigger_prompt_change', nothing, () => {
    server.sendPromptListChanged();
    return { content: [text('Told.')] };
  });
  server.registerTool('test_reconnection', nothing, async (_input, context) => {
    context.http?.closeSSE?.();
    await wait(100);
    return { content: [text('Reconnected.')] };
  });
}

/** Of 2025: the server asks the client while a call runs. */
function registerAskingTools(server: McpServer): void {
  server.registerTool(
    'test_sampling',
    { description, inputSchema: z.object({ prompt: z.string() }) },
    async ({ prompt }, { mcpReq }) => {
      const reply = await mcpReq.requestSampling(
        { messages: [{ role: 'user', content: text(prompt) }], maxTokens: 100 },
        // On the stream of this call: there is no other one.
        { relatedRequestId: mcpReq.id },
      );
      return { content: [text(`LLM response: ${JSON.stringify(reply.content)}`)] };
    },
  );
  const person = {
    type: 'object' as const,
    properties: {
      username: { type: 'string' as const, description: "User's response" },
      email: { type: 'string' as const, description: "User's email address" },
    },
    required: ['username', 'email'],
  };
  server.registerTool(
    'test_elicitation',
    { description, inputSchema: z.object({ message: z.string() }) },
    async ({ message }, context) => elicited(context, message, person, 'User response'),
  );
  server.registerTool('test_elicitation_sep1034_defaults', nothing, async (_input, context) =>
    elicited(context, 'Please fill in the form.', defaults, 'Elicitation completed'),
  );
  server.registerTool('test_elicitation_sep1330_enums', nothing, async (_input, context) =>
    elicited(context, 'Please choose.', enums, 'Elicitation completed'),
  );
}

type Form = Parameters<ServerContext['mcpReq']['elicitInput']>[0] & { requestedSchema: object };

async function elicited(
  { mcpReq }: ServerContext,
  message: string,
  requestedSchema: object,
  words: string,
): Promise<{ content: ReturnType<typeof text>[] }> {
  const { action, content } = await mcpReq.elicitInput({ mode: 'form', message, requestedSchema } as Form, {
    relatedRequestId: mcpReq.id,
  });
  return { content: [text(`${words}: action=${action}, content=${JSON.stringify(content ?? {})}`)] };
}

const defaults = {
  type: 'object',
  properties: {
    name: { type: 'string', default: 'John Doe' },
    age: { type: 'integer', default: 30 },
    score: { type: 'number', default: 95.5 },
    status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
    verified: { type: 'boolean', default: true },
  },
};

const options = ['option1', 'option2', 'option3'];
const titled = [
  { const: 'value1', title: 'First Option' },
  { const: 'value2', title: 'Second Option' },
  { const: 'value3', title: 'Third Option' },
];

const enums = {
  type: 'object',
  properties: {
    untitledSingle: { type: 'string', enum: options },
    titledSingle: { type: 'string', oneOf: titled },
    legacyEnum: {
      type: 'string',
      enum: ['opt1', 'opt2', 'opt3'],
      enumNames: ['Option One', 'Option Two', 'Option Three'],
    },
    untitledMulti: { type: 'array', items: { type: 'string', enum: options } },
    titledMulti: { type: 'array', items: { anyOf: titled } },
  },
};

/** Ours leave `$schema` out: it names the default of the protocol. */
function registerSchemaTools(server: McpServer): void {
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    $defs: {
      address: {
        $anchor: 'addressDef',
        type: 'object',
        properties: { street: { type: 'string' }, city: { type: 'string' } },
      },
    },
    properties: {
      name: { type: 'string' },
      address: { $ref: '#/$defs/address' },
      contactMethod: { type: 'string', enum: ['phone', 'email'] },
      phone: { type: 'string' },
      email: { type: 'string' },
    },
    allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
    if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
    // eslint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    then: { required: ['phone'] },
    else: { required: ['email'] },
    additionalProperties: false,
  };
  server.registerTool(
    'json_schema_2020_12_tool',
    { description, inputSchema: fromJsonSchema(schema) },
    () => ({
      content: [text('Valid.')],
    }),
  );
  const mirrored = {
    type: 'object',
    properties: { region: { type: 'string', 'x-mcp-header': 'Region' }, query: { type: 'string' } },
  };
  server.registerTool('test_custom_headers', { description, inputSchema: fromJsonSchema(mirrored) }, () => ({
    content: [text('Called.')],
  }));
}
