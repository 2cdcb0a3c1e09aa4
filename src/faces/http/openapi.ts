/** Builds the OpenAPI document: every route as declared, every tool with the schema that its calls must satisfy. */

import * as z from 'zod';
import type { Tool } from '../../oriel.ts';
import { version } from '../../access/package-files.ts';
import {
  ALWAYS,
  commonResponses,
  type Json,
  jsonContent,
  type ObjectSchema,
  requestBody,
  responses,
  schemaOf,
  WITH_BODY,
} from './openapi-parts.ts';
import { problemSchema } from './problem.ts';
import type { DeclaredReply, Route } from './route.ts';
import { answerSchema } from './tools.ts';

const DIALECT = 'https://json-schema.org/draft/2020-12/schema';

export function openApi(routes: readonly Route[], tools: readonly Tool[], secured: boolean): Json {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    if (route.path.includes(':') && route.named === undefined) continue;
    (paths[route.path.replace(':name', '{id}')] ??= {})[route.method] = operation(route);
  }
  for (const tool of tools) paths[`/api/v0/tools/${tool.name}`] = { post: toolOperation(tool) };
  return {
    openapi: '3.1.0',
    jsonSchemaDialect: DIALECT,
    info: {
      title: 'oriel',
      version: version(),
      summary: 'Bounded windows onto the files of a workspace',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    paths: { ...paths, '/openapi.json': { get: descriptionOperation }, '/mcp': mcpOperations },
    components: {
      responses: commonResponses,
      ...(secured && { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } }),
    },
    security: secured ? [{ token: [] }] : [{}],
  };
}

function operation({ path, named, method, summary, query, body, replies, example }: Route): Json {
  const { properties = {}, required = [] } = query ? (schemaOf(query, 'output') as ObjectSchema) : {};
  return {
    operationId: operationId(method, path),
    summary,
    parameters: [
      ...(named === undefined
        ? []
        : [{ name: 'id', in: 'path', required: true, description: named, schema: { type: 'string' } }]),
      ...Object.entries(properties).map(([name, { description, ...schema }]) => ({
        name,
        in: 'query',
        required: required.includes(name),
        ...(description !== undefined && { description }),
        schema,
        ...(example?.query?.[name] !== undefined && { example: example.query[name] }),
      })),
    ],
    ...(body && { requestBody: requestBody(schemaOf(body, 'input'), example?.body) }),
    responses: responses(replies, body ? WITH_BODY : ALWAYS, example?.reply),
  };
}

function toolOperation({ name, title, description, jsonSchema }: Tool): Json {
  const { $schema: _, ...schema } = jsonSchema;
  return {
    operationId: `call_${name}`,
    summary: title,
    description,
    parameters: [],
    requestBody: requestBody(schema, exampleOf(schema as ObjectSchema)),
    responses: responses(
      {
        200: {
          about:
            'The answer, also when it is a failure; as events, with its progress, for Accept: text/event-stream',
          schema: answerSchema,
        },
      },
      WITH_BODY,
      { content: [{ type: 'text', text: '1|first line\n' }], details: { kind: 'file' }, isError: false },
    ),
  };
}

/** Example values of required fields, by name. */
const FIELDS: Readonly<Record<string, unknown>> = {
  command: 'npm test',
  limit: 100,
  offset: 1,
  path: 'src/app.ts',
  pattern: 'TODO',
  workspace: 'local',
};

function exampleOf({ required = [] }: ObjectSchema): Json {
  return Object.fromEntries(required.map((name) => [name, FIELDS[name] ?? '']));
}

const descriptionOperation: Json = {
  operationId: 'get_openapi_json',
  summary: 'This description',
  parameters: [],
  responses: responses({ 200: { about: 'OpenAPI 3.1', schema: z.record(z.string(), z.unknown()) } }, ALWAYS),
};

/** The body of the MCP route: messages of the protocol. */
const message = z.union([z.record(z.string(), z.unknown()), z.array(z.record(z.string(), z.unknown()))]);
const noSession: DeclaredReply = { about: 'There is no such session', schema: problemSchema };

const mcpOperations: Json = {
  post: {
    operationId: 'post_mcp',
    summary: 'The Model Context Protocol, Streamable HTTP',
    parameters: [],
    requestBody: requestBody(schemaOf(message, 'input'), { jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    responses: {
      ...responses({ 202: { about: 'Taken; there is no answer' }, 404: noSession }, WITH_BODY),
      200: {
        description: 'The answer, or a stream of messages that ends with it',
        content: {
          ...jsonContent(schemaOf(message, 'output')),
          'text/event-stream': { schema: { type: 'string' } },
        },
      },
    },
  },
  get: {
    operationId: 'get_mcp',
    summary: 'Messages of a session that belong to no call',
    parameters: [],
    responses: responses(
      {
        200: { about: 'A stream of messages', type: 'text/event-stream' },
        404: noSession,
        405: { about: 'There is no stream without a session', schema: problemSchema },
      },
      ALWAYS,
    ),
  },
  delete: {
    operationId: 'delete_mcp',
    summary: 'End a session',
    parameters: [],
    responses: responses({ 200: { about: 'It has ended' }, 404: noSession }, ALWAYS),
  },
};

/** `/api/v0/read-file` → `get_read_file` */
function operationId(method: string, path: string): string {
  const name = path
    .replace(/^\/api\/v0/, '')
    .replaceAll(/[^a-z0-9]+/gi, '_')
    .replaceAll(/^_|_$/g, '');
  return `${method}_${name || 'home'}`;
}
