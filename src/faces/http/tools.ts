/** The route `/api/v0/tools`: every tool of the chosen dialect, with the same answers as the library. */

import * as z from 'zod';
import { isOrielError } from '../../errors.ts';
import { eventStream } from './event-stream.ts';
import { json, problem, problemSchema } from './problem.ts';
import { type Route, route, type Served } from './route.ts';
import { taskOf } from './request-task.ts';

const effects = z.object({
  readOnly: z.boolean(),
  destructive: z.boolean(),
  idempotent: z.boolean(),
  openWorld: z.boolean(),
});

const tool = z.object({
  name: z.string(),
  title: z.string(),
  description: z.string().describe('For the model'),
  effects,
  inputSchema: z.record(z.string(), z.unknown()).describe('JSON Schema 2020-12'),
});

const list = z.object({ dialect: z.string(), tools: z.array(tool) }).describe('The tools of the dialect');

export const answerSchema = z
  .object({
    content: z.array(
      z.union([
        z.object({ type: z.literal('text'), text: z.string() }),
        z.object({ type: z.literal('image'), mimeType: z.string(), data: z.base64() }),
      ]),
    ),
    details: z.record(z.string(), z.unknown()).describe('Facts; `error` with a stable code on a failure'),
    isError: z.boolean(),
  })
  .describe('What a model is shown, and the facts beside it');

export const listToolsRoute = ({ offer }: Served): Route =>
  route({
    method: 'get',
    path: '/api/v0/tools',
    summary: 'The tools',
    replies: { 200: { about: 'The tools', schema: list } },
    handle: () =>
      json({
        dialect: offer.dialect,
        tools: offer.tools().map(({ name, title, description, effects: does, jsonSchema }) => ({
          name,
          title,
          description,
          effects: does,
          inputSchema: jsonSchema,
        })),
      }),
  });

export const callToolRoute = ({ offer }: Served): Route =>
  route<unknown, unknown>({
    method: 'post',
    path: '/api/v0/tools/:name',
    summary: 'Call a tool; with Accept: text/event-stream, its progress and then its answer come as events',
    body: z.unknown().describe('The input of the tool'),
    replies: {
      200: { about: 'The answer, also when it is a failure', schema: answerSchema },
      404: { about: 'There is no such tool', schema: problemSchema },
    },
    async handle(exchange, { body, name }) {
      const { signal, client } = exchange;
      const found = offer.find(name, { caller: exchange.client });
      if (isOrielError(found)) return problem(404, { message: found.message, code: 'NOT_FOUND' });
      const options = { signal, caller: client, ...taskOf(exchange) };
      if ((exchange.header('accept') ?? '').includes('text/event-stream')) {
        return eventStream(exchange, (onProgress) => offer.call(found, body, { ...options, onProgress }));
      }
      return json(await offer.call(found, body, options));
    },
  });
