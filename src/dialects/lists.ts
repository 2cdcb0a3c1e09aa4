/** The inputs of `grep`, `find` and `ls` in all dialects, and their default limits. */

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
