/** The routes `/api/v0/tasks`: the recorded calls. A client sees its own tasks, the operator those of all clients. */

import * as z from 'zod';
import type { RunOptions } from '../../assemble.ts';
import type { TrackedTask } from '../../telemetry/bounded-tasks.ts';
import { taskName } from '../../telemetry/call-facts.ts';
import { type FileTask, PAGE_BYTES, pageOf } from '../../telemetry/event-file.ts';
import { reportOf } from '../../telemetry/report.ts';
import { CallPace } from '../../telemetry/task-figures.ts';
import type { TelemetryRecorder } from '../../telemetry/telemetry.ts';
import { decodeUri } from '../../text/visible.ts';
import type { FileState, TaskTotals, TelemetryEvent } from '../../types/telemetry.ts';
import type { HttpExchange, HttpReply } from './exchange.ts';
import { jsonReply, problem, problemSchema } from './problem.ts';
import { countInQuery, type HttpRoute, route, type RouteContext } from './route.ts';

const MAX_LISTED_TASKS = 256;

const MAX_PAGE_EVENTS = 5_000;

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

const listed = totals.extend({
  whole: z.int().describe('Bytes that reading every source of the task whole, once, would have shown'),
});

const list = z
  .object({
    operator: z.boolean().describe('The tasks are those of all clients'),
    lens: z.boolean().describe('Whether POST /api/v0/lens reads here'),
    total: z.int().describe('Tasks that there are'),
    tasks: z.array(listed).describe(`${MAX_LISTED_TASKS} at most, the last used first`),
    pace: z
      .object({
        from: z.number().describe('Milliseconds since the epoch: the first interval; 0 without calls'),
        step: z.int().describe('Milliseconds of an interval'),
        calls: z.array(z.int()).describe('Calls of these tasks in each interval, 60 at most'),
      })
      .describe('Calls over time'),
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

const listQuery = z.strictObject({ from: countInQuery('Tasks to leave out first').optional() });

const clientQuery = z.strictObject({
  client: z
    .string()
    .optional()
    .describe('As the list has it, for the operator: needed where several clients have a task of that name'),
});

const pageQuery = clientQuery.extend({
  from: countInQuery('Events to leave out first, counted from the first of the task').optional(),
  limit: countInQuery(
    `Events; ${MAX_PAGE_EVENTS} when absent or 0. A page of long ones ends at ${PAGE_BYTES >> 10} KiB`,
    MAX_PAGE_EVENTS,
  ).optional(),
});

const eventsPage = z.object({
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

export const seenRoutes: readonly ((seen: TaskSource) => HttpRoute)[] = [
  listTasksRoute,
  taskRoute,
  taskEventsRoute,
];

function listTasksRoute(seen: TaskSource): HttpRoute {
  return route<z.infer<typeof listQuery>>({
    method: 'get',
    path: '/api/v0/tasks',
    summary: 'The tasks of the client that asks, with their totals',
    query: listQuery,
    replies: { 200: { about: 'The tasks', schema: list } },
    handle(exchange, { query: { from = 0 } }) {
      const tasks = seen.tasks(exchange);
      const file = seen.file?.();
      const page = tasks.slice(from, from + MAX_LISTED_TASKS);
      const pace = new CallPace();
      for (const { figures } of page) pace.addAll(figures.pace);
      return jsonReply({
        operator: seen.isOperator(exchange),
        lens: seen.lens,
        total: tasks.length,
        tasks: page.map(summaryOf),
        pace: pace.intervals,
        file,
      });
    },
  });
}

function taskRoute(seen: TaskSource): HttpRoute {
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
        return jsonReply({ ...reportOf(task.figures), ...(everywhere && { everywhere }) });
      }),
  });
}

function taskEventsRoute(seen: TaskSource): HttpRoute {
  return route<z.infer<typeof pageQuery>>({
    method: 'get',
    path: '/api/v0/tasks/:name/events',
    named: NAMED,
    summary: 'The events of a task, as they were recorded',
    query: pageQuery,
    replies: { 200: { about: 'A page of them', schema: eventsPage }, ...noTask },
    handle: (exchange, { name, query }) =>
      ofTask(seen, exchange, name, query, ({ total, forgotten, events }) => {
        const from = Math.max(query.from ?? 0, forgotten);
        const most = query.limit || MAX_PAGE_EVENTS;
        // Past the last event.
        const page = from >= total ? { next: from, events: [] } : events(from, most);
        return jsonReply({ from, next: page.next, total, events: page.events });
      }),
  });
}

export const reportEventRoute = ({ offer, ownerOf }: RouteContext): HttpRoute =>
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
    handle(exchange, { name, body: { retry_after: retryAfter, by } }) {
      const caller = ownerOf(exchange);
      if (!caller) return problem(404, { message: 'There is no such session.', code: 'NOT_FOUND' });
      offer.telemetry?.reportRateLimit({ retryAfter, by }, { task: name, caller });
      return jsonReply({ recorded: offer.telemetry !== undefined }, 202);
    },
  });

function ofTask(
  seen: TaskSource,
  exchange: HttpExchange,
  name: string,
  { client }: z.infer<typeof clientQuery>,
  answer: (task: SeenTask) => HttpReply | Promise<HttpReply>,
): HttpReply | Promise<HttpReply> {
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
function severalClients({ figures: { id, client = '' } }: SeenTask): HttpReply {
  const next = `/api/v0/tasks/${encodeURIComponent(id)}?client=${encodeURIComponent(client)}`;
  return problem(400, {
    message: `Several clients have a task of that name. Name one of them: GET ${next}.`,
    code: 'BAD_INPUT',
    next,
  });
}

function summaryOf({ figures }: SeenTask): z.infer<typeof listed> {
  const { client, first, last, whole } = figures;
  return { ...figures.totals, whole, client, first, last };
}

// The source of tasks for the dashboard: a recording server, or a telemetry file.

interface SeenTask extends FileTask {
  /** Its totals over all replicas; absent if there are no others. */
  everywhere?(): Promise<TaskTotals | undefined>;
}

interface SeenFile extends FileState {
  readonly name: string;
}

export interface TaskSource {
  /** The tasks that the client of a request may see, the most recently used first. */
  tasks(exchange: HttpExchange): readonly SeenTask[];
  /**
   * Calls `tell` for each event that the client may see, and without an event after another change. The returned function
   * ends this.
   */
  watch(exchange: HttpExchange, tell: (event: TelemetryEvent | undefined) => void): () => void;
  /** Whether the client of a request may see the tasks of all clients. */
  isOperator(exchange: HttpExchange): boolean;
  readonly lens: boolean;
  readonly file?: (() => SeenFile) | undefined;
  /** Aborted when the server ends, which ends streams. */
  readonly closing: AbortSignal;
}

/** The tasks that a server has recorded: a client sees its own tasks, the operator those of all clients. */
export function recordedTasks({ offer, ownerOf, isOperator, closing }: RouteContext): TaskSource {
  const { telemetry } = offer;
  return {
    tasks(exchange) {
      if (isOperator(exchange))
        return telemetry?.allTasks().map((task) => recordedTask(task, telemetry)) ?? [];
      const caller = ownerOf(exchange);
      return (caller && telemetry?.tasks(caller).map((task) => recordedTask(task, telemetry))) ?? [];
    },
    watch(exchange, tell) {
      const all = isOperator(exchange);
      const caller = ownerOf(exchange);
      const unwatch = telemetry?.watch((event, owner) => {
        if (all || (caller && telemetry.isOf(owner, caller))) tell(event);
      });
      return () => unwatch?.();
    },
    isOperator,
    lens: offer.lens !== undefined,
    closing,
  };
}

function recordedTask({ figures, events, dropped }: TrackedTask, telemetry: TelemetryRecorder): SeenTask {
  return {
    figures,
    everywhere: () => telemetry.everywhere(figures),
    total: dropped + events.length,
    forgotten: dropped,
    events: (from, most) =>
      pageOf(events, from - dropped, most, dropped, (event) => [event, JSON.stringify(event).length]),
  };
}

// Reads the task and the client program of a request from its headers.

/** The header with the name of the task, percent-encoded if it is not ASCII. */
const TASK_HEADER = 'oriel-task';

const TASK_NAME_HELP = `a call names its task in the header ${TASK_HEADER}`;

/** The header that requests the totals of the task in `details`, with any value. */
const TOTALS_HEADER = 'oriel-totals';

export function taskOf(exchange: HttpExchange): Pick<RunOptions, 'task' | 'host' | 'totals' | 'trace'> {
  const traceparent = exchange.header('traceparent');
  const task = exchange.header(TASK_HEADER);
  const host = exchange.header('user-agent');
  return {
    task: task === undefined ? undefined : decodeUri(task),
    host,
    trace: traceparent === undefined ? undefined : { traceparent, tracestate: exchange.header('tracestate') },
    totals: exchange.header(TOTALS_HEADER) === undefined ? undefined : true,
  };
}
