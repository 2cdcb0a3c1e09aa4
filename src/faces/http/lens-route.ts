/** `POST /api/v0/lens`: shows a person what a model would see in a dialect. */

import { resolve } from 'node:path';
import * as z from 'zod';
import { dialectNames } from '../../dialects/dialect-table.ts';
import { lensLimits, look } from '../lens.ts';
import { endedWith } from './metrics.ts';
import { json, problem, problemSchema } from './problem.ts';
import { type Route, route, type Served } from './route.ts';
import { answerSchema } from './tools.ts';

const body = z.strictObject({
  dialect: z.enum(dialectNames as [(typeof dialectNames)[number], ...(typeof dialectNames)[number][]]),
  path: z.string().max(8_192).optional().describe('A path with an optional selector'),
  input: z.record(z.string(), z.unknown()).optional().describe('The input of the tool that reads, instead'),
  limits: z.record(z.string(), z.number()).optional().describe('As --limits has them'),
});

const reply = z.object({
  dialect: z.string(),
  tool: z.string(),
  input: z.record(z.string(), z.unknown()),
  answer: answerSchema,
  next: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('The input of the next call, where the answer was cut'),
});

/** A request is recorded like any other call, with the task `lens`: in events, metrics and spans. */
export const lensRoute = ({ offer, metrics }: Served): Route =>
  route<unknown, z.infer<typeof body>>({
    method: 'post',
    path: '/api/v0/lens',
    summary: 'What a model would see of a path, under a dialect and limits',
    body,
    replies: {
      200: { about: 'The answer, also when it is a failure', schema: reply },
      404: { about: 'This server reads nothing', schema: problemSchema },
    },
    example: { body: { dialect: 'oriel', path: 'src/app.ts:1..50' } },
    async handle({ signal, client }, { body: question }) {
      if (!offer.lens) return problem(404, { message: 'This server reads nothing.', code: 'NOT_FOUND' });
      const limits = lensLimits(question.limits);
      const began = performance.now();
      const seen = await offer.lens({ dialect: question.dialect, limits, caller: client }, (oriel, cwd) =>
        look(oriel, question, (path) => resolve(cwd, path), { signal, caller: client }),
      );
      metrics.call(seen.tool, endedWith(seen.answer), (performance.now() - began) / 1_000);
      return json(seen);
    },
  });
