/** Results as the engine gives them, for tests of their wording. */

import { baseLimits } from '../../src/text/limits.ts';
import type { Limits } from '../../src/types/excerpt.ts';
import type { FindRequest, ListRequest, SearchRequest } from '../../src/types/request.ts';
import type { ListResult, SearchResult } from '../../src/types/result.ts';

const gaps = {
  timedOut: false,
  denied: false,
  tooDeep: false,
  tooMany: false,
  containers: 0,
  rules: 0,
  broken: false,
};

export const searchRequest: SearchRequest = {
  kind: 'search',
  pattern: 'x',
  ignoreCase: false,
  literal: false,
  before: 0,
  after: 0,
  limit: 100,
  offset: 0,
  clip: { characters: 500, keep: 'head' },
};

export const findRequest: FindRequest = { kind: 'find', pattern: '*', limit: 1000, offset: 0 };
export const listRequest: ListRequest = { kind: 'list', limit: 500, offset: 0 };

/** `count` matches of this text in file.ts, one on each line; `next` when more follow. */
export function matchesOf(count: number, text: string, next?: number): SearchResult {
  const lines = Array.from({ length: count }, (_, rank) => ({ no: rank + 1, rank, text }));
  return { kind: 'matches', files: [{ path: 'file.ts', lines }], found: count, ...(next && { next }), gaps };
}

export function entriesOf(paths: readonly string[], next?: number): ListResult {
  const entries = paths.map((path, rank) => ({ path, rank }));
  return { kind: 'entries', entries, ...(next && { next }), gaps };
}

export function bytes(limit: number): Limits {
  return { ...baseLimits, bytes: limit };
}
