/** Builds the OpenAPI document: every route as declared, every tool with the schema that its calls must satisfy. */

import * as z from 'zod';
import type { Tool } from '../../oriel.ts';
import { version } from '../../access/package-files.ts';
import { problemSchema } from './problem.ts';
import type { DeclaredReply, Route } from './route.ts';
import { answerSchema } from './tools.ts';

type Json = Readonly<Record<string, unknown>>;

const DIALECT = 'https://json-schema.org/draft/2020-12/schema';

export function openApi(routes: readonly Route[], tools: readonly Tool[], secured: boolean): Json {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    if (route.path.includes(':')) continue;
    (paths[route.path] ??= {})[route.method] = operation(route);
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
      responses: Object.fromEntries(
        Object.entries(COMMON).map(([name, { about, example }]) => [
          name,
          {
            description: about,
            content: { 'application/json': { schema: schemaOf(problemSchema, 'output'), example } },
          },
        ]),
      ),
      ...(secured && { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } }),
    },
    security: secured ? [{ token: [] }] : [{}],
  };
}

/** What any route may answer, by the name of the component; a route's own reply of the status comes first. */
const COMMON = {
  Invalid: {
    status: 400,
    about: 'What is wrong with the request',
    example: { message: 'The request must name one Host.', code: 'BAD_INPUT' },
  },
  NoToken: {
    status: 401,
    about: 'The token is missing, wrong, or in the URL',
    example: { message: 'This server wants its token: Authorization: Bearer TOKEN.', code: 'DENIED' },
  },
  Refused: {
    status: 403,
    about: 'The Host, or the Origin, is not known; or the path may not be read',
    example: { message: 'This server is not known by that Host.', code: 'DENIED' },
  },
  Unexpected: {
    status: 500,
    about: 'An unexpected error',
    example: { message: 'An unexpected error.', code: 'INTERNAL' },
  },
  Busy: {
    status: 503,
    about: 'Too much waits already; Retry-After says when to try again',
    example: { message: 'Too many calls wait. Call again.', code: 'BUSY' },
  },
  NoJson: {
    status: 415,
    about: 'The body is not application/json',
    example: { message: 'The body must be application/json.', code: 'BAD_INPUT' },
  },
  TooLarge: {
    status: 413,
    about: 'The body is too large',
    example: { message: 'The body is larger than 4 MiB.', code: 'LIMIT' },
  },
} as const;

type Common = keyof typeof COMMON;

const ALWAYS: readonly Common[] = ['Invalid', 'NoToken', 'Refused', 'Unexpected', 'Busy'];
const WITH_BODY: readonly Common[] = [...ALWAYS, 'NoJson', 'TooLarge'];

function operation({ path, method, summary, query, body, replies, example }: Route): Json {
  const { properties = {}, required = [] } = query ? (schemaOf(query, 'output') as ObjectSchema) : {};
  return {
    operationId: operationId(method, path),
    summary,
    parameters: Object.entries(properties).map(([name, { description, ...schema }]) => ({
      name,
      in: 'query',
      required: required.includes(name),
      ...(description !== undefined && { description }),
      schema,
      ...(example?.query?.[name] !== undefined && { example: example.query[name] }),
    })),
    ...(body && {
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: schemaOf(body, 'input'),
            ...(example?.body !== undefined && { example: example.body }),
          },
        },
      },
    }),
    responses: responses(replies, body ? WITH_BODY : ALWAYS, example?.reply),
  };
}

function toolOperation({ name, title, description, jsonSchema }: Tool): Json {
  const { $schema: _, ...schema } = jsonSchema;
  const content = { schema, example: exampleOf(schema as ObjectSchema) };
  return {
    operationId: `call_${name}`,
    summary: title,
    description,
    parameters: [],
    requestBody: { required: true, content: { 'application/json': content } },
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

/** Values of fields that tools require, by their names. */
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

/** Its messages are those of the protocol. */
const message = z.union([z.record(z.string(), z.unknown()), z.array(z.record(z.string(), z.unknown()))]);
const noSession: DeclaredReply = { about: 'There is no such session', schema: problemSchema };

const mcpOperations: Json = {
  post: {
    operationId: 'post_mcp',
    summary: 'The Model Context Protocol, Streamable HTTP',
    parameters: [],
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: schemaOf(message, 'input'),
          example: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
        },
      },
    },
    responses: {
      ...responses({ 202: { about: 'Taken; there is no answer' }, 404: noSession }, WITH_BODY),
      200: {
        description: 'The answer, or a stream of messages that ends with it',
        content: {
          'application/json': { schema: schemaOf(message, 'output') },
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

interface ObjectSchema {
  readonly properties?: Readonly<Record<string, { readonly description?: string }>>;
  readonly required?: readonly string[];
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io }) as Json;
  return json;
}

/** `example` is of the reply with status 200. */
function responses(
  replies: Readonly<Record<number, DeclaredReply>>,
  common: readonly Common[],
  example?: unknown,
): Json {
  const shared = common.map((name) => [COMMON[name].status, { $ref: `#/components/responses/${name}` }]);
  const own = Object.entries(replies).map(([status, { about, schema, type }]) => {
    const shown = example !== undefined && status === '200' ? { example } : {};
    const media = schema
      ? { 'application/json': { schema: schemaOf(schema, 'output'), ...shown } }
      : type && { [type]: {} };
    return [status, { description: about, ...(media && { content: media }) }];
  });
  return Object.fromEntries([...shared, ...own]) as Json;
}

/** `/api/v0/read-file` → `get_read_file` */
function operationId(method: string, path: string): string {
  const name = path
    .replace(/^\/api\/v0/, '')
    .replaceAll(/[^a-z0-9]+/gi, '_')
    .replaceAll(/^_|_$/g, '');
  return `${method}_${name || 'home'}`;
}
