/** Builds the OpenAPI document: every route as declared, every tool with the schema that its calls must satisfy. */

import * as z from 'zod';
import { version } from '../../files/package-files.ts';
import type { Tool } from '../../oriel.ts';
import { problemSchema } from './problem.ts';
import type { DeclaredReply, HttpRoute } from './route.ts';
import { answerSchema } from './tools.ts';

// Parts of the operations of the OpenAPI document: schemas, bodies, and the replies that all routes share.

type JsonObject = Readonly<Record<string, unknown>>;

interface ObjectSchema {
  readonly properties?: Readonly<Record<string, { readonly description?: string | undefined }>> | undefined;
  readonly required?: readonly string[] | undefined;
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): JsonObject {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io }) as JsonObject;
  return json;
}

function jsonContent(schema: JsonObject): JsonObject {
  return { 'application/json': { schema } };
}

function requestBody(schema: JsonObject): JsonObject {
  return { required: true, content: jsonContent(schema) };
}

/** Replies that any route may give, by component name: status and meaning. */
const COMMON = {
  Invalid: [400, 'What is wrong with the request'],
  NoToken: [401, 'The token is missing, wrong, or in the URL'],
  Refused: [403, 'The Host, or the Origin, is not known; or the path may not be read'],
  Unexpected: [500, 'An unexpected error'],
  Busy: [503, 'Too much waits already; Retry-After says when to try again'],
  NoJson: [415, 'The body is not application/json'],
  TooLarge: [413, 'The body is too large'],
} as const;

type Common = keyof typeof COMMON;

const ALWAYS: readonly Common[] = ['Invalid', 'NoToken', 'Refused', 'Unexpected', 'Busy'];
const WITH_BODY: readonly Common[] = [...ALWAYS, 'NoJson', 'TooLarge'];

const commonResponses: JsonObject = Object.fromEntries(
  Object.entries(COMMON).map(([name, [, description]]) => [
    name,
    { description, content: jsonContent(schemaOf(problemSchema, 'output')) },
  ]),
);

/** A route's own reply replaces the common one of the same status. */
function responses(replies: Readonly<Record<number, DeclaredReply>>, common: readonly Common[]): JsonObject {
  const shared = common.map((name) => [COMMON[name][0], { $ref: `#/components/responses/${name}` }]);
  const own = Object.entries(replies).map(([status, { about, schema, type }]) => {
    const content = schema ? jsonContent(schemaOf(schema, 'output')) : type && { [type]: {} };
    return [status, { description: about, content: content || undefined }];
  });
  return Object.fromEntries([...shared, ...own]) as JsonObject;
}

const DIALECT = 'https://json-schema.org/draft/2020-12/schema';

export function openApi(routes: readonly HttpRoute[], tools: readonly Tool[], secured: boolean): JsonObject {
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
      securitySchemes: secured ? { token: { type: 'http', scheme: 'bearer' } } : undefined,
    },
    security: secured ? [{ token: [] }] : [{}],
  };
}

function operation({ path, named, method, summary, query, body, replies }: HttpRoute): JsonObject {
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
        description,
        schema,
      })),
    ],
    requestBody: body ? requestBody(schemaOf(body, 'input')) : undefined,
    responses: responses(replies, body ? WITH_BODY : ALWAYS),
  };
}

function toolOperation({ name, title, description, jsonSchema }: Tool): JsonObject {
  const { $schema: _, ...schema } = jsonSchema;
  return {
    operationId: `call_${name}`,
    summary: title,
    description,
    parameters: [],
    requestBody: requestBody(schema),
    responses: responses(
      {
        200: {
          about:
            'The answer, also when it is a failure; as events, with its progress, for Accept: text/event-stream',
          schema: answerSchema,
        },
      },
      WITH_BODY,
    ),
  };
}

const descriptionOperation: JsonObject = {
  operationId: 'get_openapi_json',
  summary: 'This description',
  parameters: [],
  responses: responses({ 200: { about: 'OpenAPI 3.1', schema: z.record(z.string(), z.unknown()) } }, ALWAYS),
};

/** The body of the MCP route: messages of the protocol. */
const message = z.union([z.record(z.string(), z.unknown()), z.array(z.record(z.string(), z.unknown()))]);
const noSession: DeclaredReply = { about: 'There is no such session', schema: problemSchema };

const mcpOperations: JsonObject = {
  post: {
    operationId: 'post_mcp',
    summary: 'The Model Context Protocol, Streamable HTTP',
    parameters: [],
    requestBody: requestBody(schemaOf(message, 'input')),
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
