/** Owns the default dialect's `grep`, `find` and `ls`. */

import type { FindRequest, ListRequest, ListResult, SearchRequest, SearchResult } from '../engine/request.ts';
import { MOST_CONTEXT } from '../engine/walk/bounds.ts';
import { foundAnswer, listAnswer, type ShownEntries } from '../render/listing.ts';
import { listWording } from '../render/list-notices.ts';
import { matchesAnswer, type ShownMatches } from '../render/matches.ts';
import { binarySize } from '../render/units.ts';
import { reads, tool, type Zod } from './dialect.ts';

interface GrepInput {
  readonly pattern: string;
  readonly path?: string | undefined;
  readonly glob?: string | undefined;
  readonly ignoreCase?: boolean | undefined;
  readonly literal?: boolean | undefined;
  readonly context?: number | undefined;
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
}

const MATCHES = 100;
const LINE_CHARACTERS = 500;

export const grep = tool<GrepInput>({
  name: 'grep',
  title: 'Search file contents',
  effects: reads,
  about: (limits) =>
    `Searches the lines of files with a regular expression (ripgrep syntax, linear time, no look-around). Respects ` +
    `.gitignore, searches hidden files, never .git. Results are sorted by path and line, as path:LINE: text. ` +
    `At most ${MATCHES} matches by default and ${binarySize(limits.bytes)}; lines over ${LINE_CHARACTERS} characters are ` +
    `shown around the match. A notice at the end gives the offset for the next call. Archives, databases and documents ` +
    'are not searched inside.',
  input: (zod) =>
    zod.strictObject({
      pattern: zod.string().describe('Regular expression, or plain text with literal'),
      path: zod.string().optional().describe('File or directory (default: working folder)'),
      glob: zod.string().optional().describe('Only files that match: *.ts, src/**/*.{ts,tsx}'),
      ignoreCase: zod.boolean().optional().describe('Ignore case (default: false)'),
      literal: zod.boolean().optional().describe('Take the pattern as plain text (default: false)'),
      context: count(zod, 0, MOST_CONTEXT).describe('Lines to show before and after each match (default: 0)'),
      limit: count(zod, 1).describe(`Most matches in this answer (default: ${MATCHES})`),
      offset: count(zod, 0).describe(
        'Matches to leave out first, to go on from an earlier answer (default: 0)',
      ),
    }),
  request: searchRequest,
  answer: (result, input, limits) =>
    matchesAnswer(result as SearchResult, searchRequest(input), limits, {
      words: listWording,
      gap: '\n',
      details: matchDetails,
    }),
});

function searchRequest(input: GrepInput): SearchRequest {
  const { pattern, path, glob, ignoreCase = false, literal = false, context = 0 } = input;
  return {
    do: 'search',
    pattern,
    ...(path !== undefined && { path }),
    ...(glob !== undefined && { glob }),
    ignoreCase,
    literal,
    context,
    limit: input.limit ?? MATCHES,
    offset: input.offset ?? 0,
    clip: { characters: LINE_CHARACTERS, keep: 'match' },
  };
}

function matchDetails({ shown, clipped, ...rest }: ShownMatches): Record<string, unknown> {
  return { matches: shown, ...truncation(rest), ...(clipped && { linesTruncated: true }) };
}

interface FindInput {
  readonly pattern: string;
  readonly path?: string | undefined;
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
}

const RESULTS = 1000;

export const find = tool<FindInput>({
  name: 'find',
  title: 'Find files',
  effects: reads,
  about: (limits) =>
    `Finds files by a glob: *.ts by name at any depth, src/**/*.test.ts by path; {a,b}, [a-z], ? and ** work. ` +
    `Respects .gitignore, finds hidden files, never .git; links are not followed. Paths are sorted, at most ${RESULTS} ` +
    `by default and ${binarySize(limits.bytes)}. A notice at the end gives the offset for the next call.`,
  input: (zod) =>
    zod.strictObject({
      pattern: zod.string().describe('Glob: *.ts, **/*.json, src/**/*.{ts,tsx}'),
      path: zod.string().optional().describe('Directory to look in (default: working folder)'),
      limit: count(zod, 1).describe(`Most paths in this answer (default: ${RESULTS})`),
      offset: count(zod, 0).describe(
        'Paths to leave out first, to go on from an earlier answer (default: 0)',
      ),
    }),
  request: findRequest,
  answer: (result, input, limits) =>
    foundAnswer(result as ListResult, findRequest(input), limits, {
      words: listWording,
      gap: '\n',
      details: ({ shown, ...rest }) => ({ results: shown, ...truncation(rest) }),
    }),
});

function findRequest({ pattern, path, limit = RESULTS, offset = 0 }: FindInput): FindRequest {
  return { do: 'find', pattern, ...(path !== undefined && { path }), limit, offset };
}

interface LsInput {
  readonly path?: string | undefined;
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
}

const ENTRIES = 500;

export const ls = tool<LsInput>({
  name: 'ls',
  title: 'List a directory',
  effects: reads,
  about: (limits) =>
    `Lists one directory, dotfiles included, sorted without regard to case: / marks directories, @ links. ` +
    `At most ${ENTRIES} entries by default and ${binarySize(limits.bytes)}. A notice at the end gives the offset for the next call.`,
  input: (zod) =>
    zod.strictObject({
      path: zod.string().optional().describe('Directory (default: working folder)'),
      limit: count(zod, 1).describe(`Most entries in this answer (default: ${ENTRIES})`),
      offset: count(zod, 0).describe(
        'Entries to leave out first, to go on from an earlier answer (default: 0)',
      ),
    }),
  request: listRequest,
  answer: (result, input, limits) =>
    listAnswer(result as ListResult, listRequest(input), limits, {
      words: listWording,
      gap: '\n',
      details: ({ shown, ...rest }) => ({ entries: shown, ...truncation(rest) }),
    }),
});

function listRequest({ path, limit = ENTRIES, offset = 0 }: LsInput): ListRequest {
  return { do: 'list', ...(path !== undefined && { path }), limit, offset };
}

function truncation({ cutBy, next }: Pick<ShownEntries, 'cutBy' | 'next'>): Record<string, unknown> {
  return next === undefined ? {} : { truncation: { by: cutBy ?? 'limit', next: { offset: next } } };
}

function count(zod: Zod, least: number, most: number = Number.MAX_SAFE_INTEGER) {
  return zod.int().min(least).max(most).optional();
}
