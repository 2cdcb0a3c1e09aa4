/** The routes `/api/v0/tasks`: the recorded calls. A client sees its own tasks, the operator those of all clients. */

import * as z from 'zod';
import { TASK_NAME_HELP } from './task-of.ts';
import { taskName } from '../../telemetry/safe-names.ts';
import { reportOf } from '../../telemetry/report.ts';
import { PAGE_BYTES } from '../../session/telemetry/event-index.ts';
import type { Exchange, Reply } from './exchange.ts';
import { json, problem, problemSchema } from './problem.ts';
import { count } from './request-input.ts';
import { type Route, route, type Served } from './route.ts';
import type { Seen, SeenTask } from './seen.ts';

/** Maximum tasks in a list. */
const MOST_LISTED = 256;

/** Maximum events in a page. */
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
    total: z.int().describe('Tasks that there are'),
    tasks: z.array(totals).describe(`${MOST_LISTED} at most, the last used first`),
    file: z
      .object({
        name: z.string(),
        events: z.int(),
        skipped: z.int().describe('Lines that are not events'),
        withoutReads: z.int().describe('Events of which only the call was counted, for want of room'),
        read: z.int().describe('Bytes that were read so far'),
        size: z.int(),
      })
      .optional()
      .describe('The file that is looked at, of oriel inspect'),
  })
  .describe('Tasks, the last used first');

const report = totals
  .extend({
    files: z
      .array(z.record(z.string(), z.unknown()))
      .describe('Coverage of each source, the most wasteful first'),
    habits: z.array(z.record(z.string(), z.unknown())).describe('Those that cost most first'),
    everywhere: totals
      .optional()
      .describe('The totals of all replicas, where they share a state; all else is of the one that answers'),
    verdict: z.object({ reduced: z.enum(['yes', 'no', 'unknown']), text: z.string() }),
  })
  .catchall(z.unknown());

const listQuery = z.strictObject({ from: count('Tasks to leave out first').optional() });

const clientQuery = z.strictObject({
  client: z
    .string()
    .optional()
    .describe('As the list has it, for the operator: needed where several clients have a task of that name'),
});

const pageQuery = clientQuery.extend({
  from: count('Events to leave out first, counted from the first of the task').optional(),
  limit: count(
    `Events; ${MOST_EVENTS} when absent or 0. A page of long ones ends at ${PAGE_BYTES >> 10} KiB`,
    MOST_EVENTS,
  ).optional(),
});

const page = z.object({
  from: z
    .int()
    .describe('The number of the first event here; older ones are forgotten where it is higher than asked'),
  next: z.int().describe('The number of the event after the last one here'),
  total: z.int(),
  events: z.array(z.record(z.string(), z.unknown())),
});

const reported = z.strictObject({
  kind: z.literal('rate-limit'),
  retry_after: z.number().optional().describe('Seconds after which the provider may be asked again'),
  by: z.string().optional().describe('Who refused'),
});

const noTask = { 404: { about: 'There is no such task', schema: problemSchema } };

export const seenRoutes: readonly ((seen: Seen) => Route)[] = [listTasksRoute, taskRoute, taskEventsRoute];

function listTasksRoute(seen: Seen): Route {
  return route<z.infer<typeof listQuery>>({
    method: 'get',
    path: '/api/v0/tasks',
    summary: 'The tasks of the client that asks, with their totals',
    query: listQuery,
    replies: { 200: { about: 'The tasks', schema: list } },
    handle(exchange, { query: { from = 0 } }) {
      const tasks = seen.tasks(exchange);
      const file = seen.file?.();
      return json({
        operator: seen.isOperator(exchange),
        lens: seen.lens,
        total: tasks.length,
        tasks: tasks.slice(from, from + MOST_LISTED).map(summaryOf),
        ...(file && { file }),
      });
    },
  });
}

function taskRoute(seen: Seen): Route {
  return route<z.infer<typeof clientQuery>>({
    method: 'get',
    path: '/api/v0/tasks/:name',
    named: NAMED,
    summary: 'The figures of a task: coverage, chains, habits, the verdict',
    query: clientQuery,
    replies: { 200: { about: 'The figures', schema: report }, ...noTask },
    handle: (exchange, { name, query }) =>
      ofTask(seen, exchange, name, query, async (task) => {
        const everywhere = await task.everywhere?.();
        return json({ ...reportOf(task.figures), ...(everywhere && { everywhere }) });
      }),
  });
}

function taskEventsRoute(seen: Seen): Route {
  return route<z.infer<typeof pageQuery>>({
    method: 'get',
    path: '/api/v0/tasks/:name/events',
    named: NAMED,
    summary: 'The events of a task, as they were recorded',
    query: pageQuery,
    replies: { 200: { about: 'A page of them', schema: page }, ...noTask },
    handle: (exchange, { name, query }) =>
      ofTask(seen, exchange, name, query, async ({ total, forgotten, events }) => {
        const from = Math.max(query.from ?? 0, forgotten);
        const most = query.limit || MOST_EVENTS;
        // Past the last event.
        const page = from >= total ? { next: from, events: [] } : await events(from, most);
        return json({ from, next: page.next, total, events: page.events });
      }),
  });
}

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

function ofTask(
  seen: Seen,
  exchange: Exchange,
  name: string,
  { client }: z.infer<typeof clientQuery>,
  answer: (task: SeenTask) => Reply | Promise<Reply>,
): Reply | Promise<Reply> {
  const id = taskName(name);
  const named = seen.tasks(exchange).filter(({ figures }) => figures.id === id);
  // If several clients have a task of that name and none is given, the task without a client is preferred.
  const task = named.find(({ figures }) => figures.client === client);
  if (task) return answer(task);
  const [only, ...others] = client === undefined ? named : [];
  if (only && others.length === 0) return answer(only);
  if (only) return severalClients(only);
  return problem(404, {
    message: `You have no task of that name. GET /api/v0/tasks lists yours; ${TASK_NAME_HELP}.`,
    code: 'NOT_FOUND',
    next: '/api/v0/tasks',
  });
}

/** The reply if several clients have a task of that name. */
function severalClients({ figures: { id, client = '' } }: SeenTask): Reply {
  const next = `/api/v0/tasks/${encodeURIComponent(id)}?client=${encodeURIComponent(client)}`;
  return problem(400, {
    message: `Several clients have a task of that name. Name one of them: GET ${next}.`,
    code: 'BAD_INPUT',
    next,
  });
}

function summaryOf({ figures }: SeenTask): z.infer<typeof totals> {
  const { client, first, last } = figures;
  return { ...figures.totals, ...(client !== undefined && { client }), first, last };
}
