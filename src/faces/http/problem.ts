/** JSON replies, and error replies with a status, one sentence and a stable code. */

import * as z from 'zod';
import type { ErrorCode, OrielError } from '../../errors.ts';
import { safeJson } from '../../text/visible.ts';
import { withAbsoluteCall } from '../hosts.ts';
import type { HttpReply } from './exchange.ts';

export const problemSchema = z
  .object({
    message: z.string().describe('One sentence'),
    code: z.string().optional().describe('Stable across releases'),
    next: z.string().optional().describe('A call that works instead'),
    validations: z
      .array(z.object({ field: z.string(), detail: z.string() }))
      .optional()
      .describe('What is wrong with which parameter'),
  })
  .describe('A failure');

/** A declared reply with `problemSchema`. */
export const declaredFailure = { about: 'Why not', schema: problemSchema } as const;

export type ProblemDetails = z.infer<typeof problemSchema>;

export function problem(
  status: number,
  body: ProblemDetails,
  headers: Record<string, string> = {},
): HttpReply {
  return jsonReply(body, status, headers);
}

export function jsonReply(value: unknown, status = 200, headers: Record<string, string> = {}): HttpReply {
  return jsonTextReply(safeJson(value), status, headers);
}

/** A reply with JSON that is serialized already. */
export function jsonTextReply(text: string, status = 200, headers: Record<string, string> = {}): HttpReply {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: text };
}

export function eventsReply(body: HttpReply['body']): HttpReply {
  const headers = {
    'content-type': 'text/event-stream',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  };
  return { status: 200, headers, body };
}

/** Interval of keep-alive comments in a stream of events, because proxies close silent connections. */
export const KEEP_ALIVE_MS = 15_000;

const STATUS: Partial<Record<ErrorCode, number>> = {
  NOT_FOUND: 404,
  NOT_DIRECTORY: 404,
  DENIED: 403,
  PRIVATE: 403,
  OUTSIDE_ROOT: 403,
  IS_DIRECTORY: 400,
  NOT_REGULAR: 400,
  BAD_PATH: 400,
  BAD_INPUT: 400,
  NAME_TOO_LONG: 400,
  LOOP: 400,
  BUSY: 503,
  TIMEOUT: 504,
  // The client has disconnected and does not read it. (The number of nginx.)
  CANCELLED: 499,
};

/** The reply for an error of a route. `cwd` replaces `.` in suggestions, because routes take absolute paths. */
export function failureReply(error: OrielError, cwd: string): HttpReply {
  const status = STATUS[error.code] ?? 500;
  const next = error.next === '.' ? cwd : error.next;
  const body = { message: withAbsoluteCall(error.message, cwd), code: error.code, next };
  return problem(status, body, status === 503 ? { 'retry-after': '1' } : {});
}
