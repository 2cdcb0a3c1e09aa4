/** Owns the OpenAPI document: every route as it is declared, every tool with the schema that its calls are held to. */

import * as z from 'zod';
import type { Tool } from '../../oriel.ts';
import { version } from '../../access/package-files.ts';
import { problemSchema } from './problem.ts';
import type { Reply, Route } from './route.ts';
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
    paths,
    components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
    security: secured ? [{ token: [] }] : [{}],
  };
}

function operation({ path, method, summary, query, body, replies }: Route): Json {
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
    })),
    ...(body && {
      requestBody: { required: true, content: { 'application/json': { schema: schemaOf(body, 'input') } } },
    }),
    responses: responses({ ...replies, ...(query || body ? { 400: refused } : {}) }),
  };
}

const refused: Reply = { about: 'What is wrong with the request', schema: problemSchema };

function toolOperation({ name, title, description, jsonSchema }: Tool): Json {
  const { $schema: _, ...schema } = jsonSchema;
  return {
    operationId: `call_${name}`,
    summary: title,
    description,
    parameters: [],
    requestBody: { required: true, content: { 'application/json': { schema } } },
    responses: responses({ 200: { about: 'The answer, also when it is a failure', schema: answerSchema } }),
  };
}

interface ObjectSchema {
  readonly properties?: Readonly<Record<string, { readonly description?: string }>>;
  readonly required?: readonly string[];
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io }) as Json;
  return json;
}

function responses(replies: Readonly<Record<number, Reply>>): Json {
  return Object.fromEntries(
    Object.entries(replies).map(([status, { about, schema, type }]) => {
      const media = schema
        ? { 'application/json': { schema: schemaOf(schema, 'output') } }
        : type && { [type]: {} };
      return [status, { description: about, ...(media && { content: media }) }];
    }),
  );
}

/** `/api/v0/read-file` → `get_read_file` */
function operationId(method: string, path: string): string {
  const name = path
    .replace(/^\/api\/v0/, '')
    .replaceAll(/[^a-z0-9]+/gi, '_')
    .replaceAll(/^_|_$/g, '');
  return `${method}_${name || 'home'}`;
}
