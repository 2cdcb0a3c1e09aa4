/** Parts of the operations of the OpenAPI document: schemas, bodies, and the replies that all routes share. */

import * as z from 'zod';
import { problemSchema } from './problem.ts';
import type { DeclaredReply } from './route.ts';

export type Json = Readonly<Record<string, unknown>>;

export interface ObjectSchema {
  readonly properties?: Readonly<Record<string, { readonly description?: string }>>;
  readonly required?: readonly string[];
}

export function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io }) as Json;
  return json;
}

/** The `content` of a body in JSON. */
export function jsonContent(schema: Json, example?: unknown): Json {
  return { 'application/json': { schema, ...(example !== undefined && { example }) } };
}

export function requestBody(schema: Json, example?: unknown): Json {
  return { required: true, content: jsonContent(schema, example) };
}

/** Replies that any route may give, by component name: status, meaning, and the message and code of an example. */
const COMMON = {
  Invalid: [
    400,
    'What is wrong with the request',
    'The request must have exactly one Host header.',
    'BAD_INPUT',
  ],
  NoToken: [
    401,
    'The token is missing, wrong, or in the URL',
    'This server wants its token: Authorization: Bearer TOKEN.',
    'DENIED',
  ],
  Refused: [
    403,
    'The Host, or the Origin, is not known; or the path may not be read',
    'This server does not accept that Host header. Its operator can allow the name with --host NAME.',
    'DENIED',
  ],
  Unexpected: [500, 'An unexpected error', 'An unexpected error.', 'INTERNAL'],
  Busy: [
    503,
    'Too much waits already; Retry-After says when to try again',
    'Too many calls wait. Call again.',
    'BUSY',
  ],
  NoJson: [415, 'The body is not application/json', 'The body must be application/json.', 'BAD_INPUT'],
  TooLarge: [413, 'The body is too large', 'The body is larger than 4 MiB.', 'LIMIT'],
} as const;

type Common = keyof typeof COMMON;

export const ALWAYS: readonly Common[] = ['Invalid', 'NoToken', 'Refused', 'Unexpected', 'Busy'];
export const WITH_BODY: readonly Common[] = [...ALWAYS, 'NoJson', 'TooLarge'];

export const commonResponses: Json = Object.fromEntries(
  Object.entries(COMMON).map(([name, [, description, message, code]]) => [
    name,
    { description, content: jsonContent(schemaOf(problemSchema, 'output'), { message, code }) },
  ]),
);

/** A route's own reply replaces the common one of the same status. `example`: of the reply with status 200. */
export function responses(
  replies: Readonly<Record<number, DeclaredReply>>,
  common: readonly Common[],
  example?: unknown,
): Json {
  const shared = common.map((name) => [COMMON[name][0], { $ref: `#/components/responses/${name}` }]);
  const own = Object.entries(replies).map(([status, { about, schema, type }]) => {
    const content = schema
      ? jsonContent(schemaOf(schema, 'output'), status === '200' ? example : undefined)
      : type && { [type]: {} };
    return [status, { description: about, ...(content && { content }) }];
  });
  return Object.fromEntries([...shared, ...own]) as Json;
}
