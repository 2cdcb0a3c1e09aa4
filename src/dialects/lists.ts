/** The inputs of `grep`, `find` and `ls` in all dialects, and their default limits. */

import { OrielError } from '../errors.ts';
import { errorAnswer } from '../render/answer.ts';
import { safeJson } from '../text/json.ts';
import type { Answer } from '../types/answer.ts';
import type { FindRequest, ListRequest, SearchRequest } from '../types/request.ts';
import type { Zod } from './dialect.ts';

export const MATCHES = 100;
/** Maximum characters of a matching line. */
export const LINE_CHARACTERS = 500;
export const RESULTS = 1000;
export const ENTRIES = 500;

export interface GrepInput {
  readonly pattern: string;
  readonly path?: string | undefined;
  readonly glob?: string | undefined;
  readonly ignoreCase?: boolean | undefined;
  readonly literal?: boolean | undefined;
  readonly context?: number | undefined;
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
}

/** The fields that all searches share. */
export function searched({
  pattern,
  path,
  glob,
  ignoreCase = false,
  literal = false,
  offset = 0,
}: GrepInput): Pick<SearchRequest, 'pattern' | 'path' | 'glob' | 'ignoreCase' | 'literal' | 'offset'> {
  return {
    pattern,
    ...(path !== undefined && { path }),
    ...(glob !== undefined && { glob }),
    ignoreCase,
    literal,
    offset,
  };
}

/** `keep`: whether the head of a long line is shown, or the part around the match. */
export function searchRequest(input: GrepInput, keep: SearchRequest['clip']['keep']): SearchRequest {
  const { context = 0, limit = MATCHES } = input;
  return {
    do: 'search',
    ...searched(input),
    before: context,
    after: context,
    limit,
    clip: { characters: LINE_CHARACTERS, keep },
  };
}

export interface FindInput {
  readonly pattern: string;
  readonly path?: string | undefined;
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
}

export function findRequest({ pattern, path, limit = RESULTS, offset = 0 }: FindInput): FindRequest {
  return { do: 'find', pattern, ...(path !== undefined && { path }), limit, offset };
}

export interface LsInput {
  readonly path?: string | undefined;
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
}

export function listRequest({ path, limit = ENTRIES, offset = 0 }: LsInput): ListRequest {
  return { do: 'list', ...(path !== undefined && { path }), limit, offset };
}

export function count(zod: Zod, least: number, most: number = Number.MAX_SAFE_INTEGER) {
  return zod.int().min(least).max(most).optional();
}

/** Maximum bytes of a call in an error. */
const MOST_CALL = 800;

/**
 * The answer for an error of a tool with several fields: `next` becomes the complete input of a call, in which the fields
 * that the error suggests, or the path or glob, are replaced.
 */
export function listFailure(error: OrielError, input: GrepInput | FindInput | LsInput | undefined): Answer {
  // The suggestion is to read the same path, which is a call of another tool.
  if (!input || error.next === input.path) return errorAnswer(error);
  const glob = 'glob' in input && input.glob !== undefined ? 'glob' : 'pattern';
  return errorAnswer(withWholeCall(error, input, error.code === 'BAD_INPUT' ? glob : 'path'));
}

/** The error with a complete call as `next`: `input` with the fields in `next` replaced, or with `next` as `field`. */
export function withWholeCall(error: OrielError, input: object, field: string): OrielError {
  const { code, message, next } = error;
  if (next === undefined) return error;
  const call = safeJson({ ...input, ...(fieldsIn(next) ?? { [field]: next }) });
  const fits = Buffer.byteLength(call) <= MOST_CALL;
  return new OrielError(code, message, { ...(fits && { next: call }), cause: error });
}

function fieldsIn(next: string): Record<string, unknown> | undefined {
  if (!next.startsWith('{"')) return undefined;
  try {
    return JSON.parse(next) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}
