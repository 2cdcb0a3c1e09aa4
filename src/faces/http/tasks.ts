/** The routes `/api/v0/tasks`: what was recorded of calls. A client sees its own tasks, the operator those of all. */

import * as z from 'zod';
import { TASK_NAME_HELP } from './task-of.ts';
import type { Task } from '../../telemetry/bounded-tasks.ts';
import { reportOf } from '../../telemetry/report.ts';
import type { Exchange, Reply } from './exchange.ts';
import { json, problem, problemSchema } from './problem.ts';
import { count } from './request-input.ts';
import { type Route, route, type Served } from './route.ts';

/** Tasks of a list. */
const MOST_LISTED = 256;

/** Events of a page. */
const MOST_EVENTS = 5_000;

const NAMED = 'The task, as its calls name it (percent-encoded)';

const totals = z.object({
  id: z.string(),
  client: z.string().optional().describe('Tells clients apart; for the operator'),
  first: z.number().describe('Milliseconds since the epoch: of the first event'),
  last: z.number(),
  calls: z.int(),
  bytes: z.int().describe('Of text in answers'),
  tokens: z.int().describe('Estimated: four bytes a token'),
  averageBytes: z.int(),
  errors: z.int(),
  continued: z.int().describe('Calls that went on where a notice had said'),
  redundancy: z.number().describe('Share of the shown bytes that had been shown before, 0 to 1'),
  saved: z.int().describe('Calls that a larger window would have saved'),
  rateLimits: z.int(),
});

const list = z
  .object({
    operator: z.boolean().describe('The tasks are those of all clients'),
    lens: z.boolean().describe('Whether POST /api/v0/lens reads here'),
    tasks: z.array(totals),
  })
  .describe('The last used first');

const report = totals
  .extend({
    files: z
      .array(z.record(z.string(), z.unknown()))
      .describe('Coverage of each source, the most wasteful first'),
    habits: z.array(z.record(z.string(), z.unknown())).describe('Those that cost most first'),
    verdict: z.object({ reduced: z.enum(['yes', 'no', 'unknown']), text: z.string() }),
  })
  .catchall(z.unknown());

const clientQuery = z.strictObject({
  client: z.string().optional().describe('As the list has it; for the operator'),
});

const pageQuery = clientQuery.extend({
  from: count('Events to leave out first, counted from the first of the task').optional(),
  limit: count(`Events; ${MOST_EVENTS} when absent or 0`, MOST_EVENTS).optional(),
});

const page = z.object({
  from: z
    .int()
    .describe('The number of the first event here; older ones are forgotten where it is higher than asked'),
  total: z.int(),
  events: z.array(z.record(z.string(), z.unknown())),
});

const reported = z.strictObject({
  kind: z.literal('rate-limit'),
  retry_after: z.number().optional().describe('Seconds after which the provider may be asked again'),
  by: z.string().optional().describe('Who refused'),
});

const noTask = { 404: { about: 'There is no such task', schema: problemSchema } };

export const listTasksRoute = (served: Served): Route =>
  route({
    method: 'get',
    path: '/api/v0/tasks',
    summary: 'The tasks of the client that asks, with their totals',
    replies: { 200: { about: 'The tasks', schema: list } },
    handle(exchange) {
      const tasks = visible(served, exchange).slice(0, MOST_LISTED);
      return json({
        operator: served.isOperator(exchange),
        lens: served.offer.lens !== undefined,
        tasks: tasks.map(summaryOf),
      });
    },
  });

export const taskRoute = (served: Served): Route =>
  route<z.infer<typeof clientQuery>>({
    method: 'get',
    path: '/api/v0/tasks/:name',
    named: NAMED,
    summary: 'The figures of a task: coverage, chains, habits, the verdict',
    query: clientQuery,
    replies: { 200: { about: 'The figures', schema: report }, ...noTask },
    handle: (exchange, { name, query }) =>
      ofTask(served, exchange, name, query, (task) => json(reportOf(task.figures))),
  });

export const taskEventsRoute = (served: Served): Route =>
  route<z.infer<typeof pageQuery>>({
    method: 'get',
    path: '/api/v0/tasks/:name/events',
    named: NAMED,
    summary: 'The events of a task, as they were recorded',
    query: pageQuery,
    replies: { 200: { about: 'A page of them', schema: page }, ...noTask },
    handle: (exchange, { name, query }) =>
      ofTask(served, exchange, name, query, ({ events, dropped }) => {
        const from = Math.max(query.from ?? 0, dropped);
        const start = from - dropped;
        return json({
          from,
          total: dropped + events.length,
          events: events.slice(start, start + (query.limit || MOST_EVENTS)),
        });
      }),
  });

export const reportEventRoute = ({ offer, ownerOf }: Served): Route =>
  route<unknown, z.infer<typeof reported>>({
    method: 'post',
    path: '/api/v0/tasks/:name/events',
    named: NAMED,
    summary:
      'Report that the provider of the model has refused a request; with mcp-session-id, for that session',
    body: reported,
    replies: {
      202: { about: 'It is recorded', schema: z.object({ recorded: z.boolean() }) },
      404: { about: 'There is no such session', schema: problemSchema },
    },
    example: { body: { kind: 'rate-limit', retry_after: 30, by: 'the provider' } },
    handle(exchange, { name, body: { retry_after: retryAfter, by } }) {
      const caller = ownerOf(exchange);
      if (!caller) return problem(404, { message: 'There is no such session.', code: 'NOT_FOUND' });
      offer.telemetry?.reportRateLimit({ retryAfter, by }, { task: name, caller });
      return json({ recorded: offer.telemetry !== undefined }, 202);
    },
  });

function visible({ offer, ownerOf, isOperator }: Served, exchange: Exchange): readonly Task[] {
  if (isOperator(exchange)) return offer.telemetry?.allTasks() ?? [];
  const caller = ownerOf(exchange);
  return (caller && offer.telemetry?.tasks(caller)) ?? [];
}

function ofTask(
  served: Served,
  exchange: Exchange,
  name: string,
  { client }: z.infer<typeof clientQuery>,
  answer: (task: Task) => Reply,
): Reply {
  const task = visible(served, exchange).find(
    ({ figures }) => figures.id === name && (client === undefined || figures.client === client),
  );
  if (task) return answer(task);
  return problem(404, {
    message: `You have no task of that name. GET /api/v0/tasks lists yours; ${TASK_NAME_HELP}.`,
    code: 'NOT_FOUND',
    next: '/api/v0/tasks',
  });
}

function summaryOf({ figures }: Task): z.infer<typeof totals> {
  const { client, first, last } = figures;
  return { ...figures.totals, ...(client !== undefined && { client }), first, last };
}
