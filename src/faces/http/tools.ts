/** The route `/api/v0/tools`: every tool of the chosen dialect, with the same answers as the library. */

import { resolve } from 'node:path';
import * as z from 'zod';
import { type DialectName, dialectNames } from '../../dialects/dialect-table.ts';
import { isOrielError, OrielError } from '../../errors.ts';
import type { Oriel } from '../../oriel.ts';
import type { Caller } from '../../queues/caller.ts';
import { errorAnswer } from '../../render/notices.ts';
import { parseSelection } from '../../selector/selection.ts';
import { lineFields } from '../../telemetry/habits.ts';
import type { LimitOptions } from '../../text/limits.ts';
import { quote, safeJson } from '../../text/visible.ts';
import type { Answer } from '../../types/answer.ts';
import type { Window } from '../../types/excerpt.ts';
import type { Progress } from '../../types/session.ts';
import { pace } from '../outbox.ts';
import type { HttpExchange, HttpReply } from './exchange.ts';
import { outcomeOfAnswer } from './metrics.ts';
import { eventsReply, jsonReply, KEEP_ALIVE_MS, problem, problemSchema } from './problem.ts';
import { type HttpRoute, route, type RouteContext } from './route.ts';
import { taskOf } from './tasks.ts';

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

export const listToolsRoute = ({ offer }: RouteContext): HttpRoute =>
  route({
    method: 'get',
    path: '/api/v0/tools',
    summary: 'The tools',
    replies: { 200: { about: 'The tools', schema: list } },
    handle: () =>
      jsonReply({
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

export const callToolRoute = ({ offer }: RouteContext): HttpRoute =>
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
      return jsonReply(await offer.call(found, body, options));
    },
  });

// Sends an answer as Server-Sent Events: progress while the call runs, then the answer.

/** Runs `work`. If the client disconnects, the signal of the request cancels it. */
function eventStream(
  exchange: HttpExchange,
  work: (onProgress: (progress: Progress) => void) => Promise<Answer>,
): HttpReply {
  return eventsReply(async (outlet) => {
    const event = (name: string, data: unknown): void =>
      outlet.write(`event: ${name}\ndata: ${safeJson(data)}\n\n`);
    exchange.endsWith((error) => {
      event('answer', errorAnswer(error));
      outlet.end();
    });
    // Progress is dropped for a client that does not read.
    const quietly = (tell: () => void): void => {
      if (outlet.bytes === 0) tell();
    };
    const keepAlive = setInterval(() => quietly(() => outlet.write(': still working\n\n')), KEEP_ALIVE_MS);
    const progress = pace((told) => quietly(() => event('progress', told)));
    const answer = await work(progress.tell).finally(() => clearInterval(keepAlive));
    progress.end();
    event('answer', answer);
  });
}

// `POST /api/v0/lens`: shows a person what a model would see in a dialect.

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
export const lensRoute = ({ offer, metrics }: RouteContext): HttpRoute =>
  route<unknown, z.infer<typeof body>>({
    method: 'post',
    path: '/api/v0/lens',
    summary: 'What a model would see of a path, under a dialect and limits',
    body,
    replies: {
      200: { about: 'The answer, also when it is a failure', schema: reply },
      404: { about: 'This server reads nothing', schema: problemSchema },
    },
    async handle({ signal, client }, { body: question }) {
      if (!offer.lens) return problem(404, { message: 'This server reads nothing.', code: 'NOT_FOUND' });
      const limits = lensLimits(question.limits);
      const began = performance.now();
      const seen = await offer.lens({ dialect: question.dialect, limits, caller: client }, (oriel, cwd) =>
        lookThroughLens(oriel, question, (path) => resolve(cwd, path), { signal, caller: client }),
      );
      metrics.call(seen.tool, outcomeOfAnswer(seen.answer), (performance.now() - began) / 1_000);
      return jsonReply(seen);
    },
  });

// The lens: shows what a model gets for a path under a dialect, with the blocks of the answer and the next
// call.

/** Maximum limits, so that a browser can show the answer. */
const MAX_LENS_BYTES = 1 << 20;

/** Maximum fields of an input, and characters of each. */
const [MAX_LENS_FIELDS, MAX_LENS_CHARACTERS] = [64, 8_192];

/** Checks the limits. Throws OrielError (`BAD_INPUT`) if one is too large for the lens. */
function lensLimits(limits: LimitOptions = {}): LimitOptions {
  for (const [name, value] of Object.entries(limits)) {
    if (typeof value === 'number' && value > MAX_LENS_BYTES && name !== 'countBytes') {
      throw new OrielError('BAD_INPUT', `The limit ${quote(name)} is at most ${MAX_LENS_BYTES} here.`);
    }
  }
  return limits;
}

/** `absolute` makes a path absolute, for dialects that require it. */
async function lookThroughLens(
  oriel: Oriel,
  { dialect, path, input: given }: z.infer<typeof body>,
  absolute: (path: string) => string,
  { signal, caller }: { readonly signal: AbortSignal; readonly caller: Caller },
): Promise<Omit<z.infer<typeof reply>, 'answer'> & { readonly answer: Answer }> {
  const tool = oriel.tools.find(({ name }) => name === 'read' || name === 'read_file');
  if (!tool)
    throw new OrielError(
      'BAD_INPUT',
      `The dialect ${dialect} reads nothing. Use one of ${dialectNames.join(', ')}.`,
    );
  checkSize(given ?? { path });
  const input = given ?? inputOf(dialect, path ?? '.', absolute);
  const answer = await tool.run(input, { signal, caller, task: 'lens', host: 'lens' });
  return { dialect, tool: tool.name, input, answer, next: nextOf(dialect, input, answer) };
}

/** Limits the size of the input, because the answer contains it. Throws `BAD_INPUT`. */
function checkSize(input: Readonly<Record<string, unknown>>): void {
  const sizes = Object.entries(input).map(([name, value]) => name.length + sizeOf(value));
  if (sizes.length <= MAX_LENS_FIELDS && sizes.every((size) => size <= MAX_LENS_CHARACTERS)) return;
  throw new OrielError(
    'BAD_INPUT',
    `The input has at most ${MAX_LENS_FIELDS} fields of ${MAX_LENS_CHARACTERS} characters here.`,
  );
}

/** Characters of a field. Fields of reading tools are strings, numbers, or lists of them. */
function sizeOf(value: unknown): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, one) => sum + 1 + sizeOfPlain(one), 0);
  return sizeOfPlain(value);
}

function sizeOfPlain(value: unknown): number {
  return typeof value === 'object' && value !== null ? Number.POSITIVE_INFINITY : String(value).length;
}

function inputOf(
  dialect: DialectName,
  typed: string,
  absolute: (path: string) => string,
): Record<string, unknown> {
  if (dialect === 'oriel') return { path: typed };
  const { path, window } = splitWindow(typed);
  const fields = { path: dialect === 'coder' ? absolute(path) : path };
  if (window?.kind === 'lines' && window.ranges.length === 1) {
    const [{ from, to } = { from: 1, to: undefined }] = window.ranges;
    return { ...fields, ...lineFields(dialect, from, to) };
  }
  if (window?.kind === 'bytes' && dialect === 'zed') {
    return {
      ...fields,
      start_byte: window.start,
      max_bytes: window.length,
    };
  }
  if (window)
    throw new OrielError(
      'BAD_INPUT',
      `The dialect ${dialect} has no such window. Use ${quote(path)}:1..100 or ${quote(path)}.`,
    );
  return fields;
}

/** `"a.ts:5..9"` → its path and window. Other selectors are part of the path. */
function splitWindow(typed: string): { readonly path: string; readonly window?: Window | undefined } {
  for (let colon = typed.lastIndexOf(':'); colon > 0; colon = typed.lastIndexOf(':', colon - 1)) {
    const selection = parseSelection(typed.slice(colon + 1));
    if (selection?.window) return { path: typed.slice(0, colon), window: selection.window };
    if (selection && (selection.mode !== undefined || selection.symbol !== undefined)) break;
  }
  return { path: typed };
}

function nextOf(
  dialect: DialectName,
  input: Readonly<Record<string, unknown>>,
  { details, content }: Answer,
): Record<string, unknown> | undefined {
  const { next } = Object(details['truncation']) as { next?: unknown };
  if (typeof next === 'string') return { path: next };
  if (typeof next === 'object' && next !== null) {
    const { start_line: _, end_line: __, ...rest } = input;
    return { ...rest, ...next };
  }
  if (dialect === 'coder' || dialect.startsWith('zdx')) return nextPage(input, details, dialect);
  const [block] = content;
  const offset =
    block?.type === 'text' ? /Use offset=(\d+) to continue/.exec(block.text.slice(-300))?.[1] : undefined;
  return offset === undefined ? undefined : { ...input, offset: Number(offset) };
}

/** The next page for dialects that report the number of shown lines and of all lines. */
function nextPage(
  input: Readonly<Record<string, unknown>>,
  details: Answer['details'],
  dialect: DialectName,
): Record<string, unknown> | undefined {
  const lines = Number(details[dialect === 'coder' ? 'lines_read' : 'lines_shown'] ?? 0);
  const offset = Math.max(1, Number(input['offset'] ?? 1)) + lines;
  return lines > 0 && offset <= Number(details['total_lines'] ?? 0) ? { ...input, offset } : undefined;
}
