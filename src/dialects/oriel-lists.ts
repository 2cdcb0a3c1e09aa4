/** The default dialect's `grep`, `find` and `ls`. */

import { MOST_CONTEXT } from '../engine/walk/bounds.ts';
import { listWording } from '../render/list-notices.ts';
import { foundAnswer, listAnswer, type ShownEntries } from '../render/listing.ts';
import { matchesAnswer, type ShownMatches } from '../render/matches.ts';
import { binarySize } from '../render/units.ts';
import type { FindRequest, ListRequest, SearchRequest } from '../types/request.ts';
import { reads, tool } from './dialect.ts';
import {
  count,
  ENTRIES,
  type FindInput,
  findRequest,
  type GrepInput,
  LINE_CHARACTERS,
  listRequest,
  type LsInput,
  MATCHES,
  RESULTS,
  searchRequest,
} from './lists.ts';

export const grep = tool<GrepInput, SearchRequest>({
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
      path: zod.string().optional().describe('File or directory (default: working directory)'),
      glob: zod.string().optional().describe('Only files that match: *.ts, src/**/*.{ts,tsx}'),
      ignoreCase: zod.boolean().optional().describe('Ignore case (default: false)'),
      literal: zod.boolean().optional().describe('Take the pattern as plain text (default: false)'),
      context: count(zod, 0, MOST_CONTEXT).describe('Lines to show before and after each match (default: 0)'),
      limit: count(zod, 1).describe(`Most matches in this answer (default: ${MATCHES})`),
      offset: count(zod, 0).describe(
        'Matches to leave out first, to go on from an earlier answer (default: 0)',
      ),
    }),
  request: (input) => searchRequest(input, 'match'),
  answer: (result, input, limits) =>
    matchesAnswer(result, searchRequest(input, 'match'), limits, {
      words: listWording,
      details: matchDetails,
    }),
});

function matchDetails({ shown, clipped, ...rest }: ShownMatches): Record<string, unknown> {
  return { matches: shown, ...truncation(rest), ...(clipped && { linesTruncated: true }) };
}

export const find = tool<FindInput, FindRequest>({
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
      path: zod.string().optional().describe('Directory to look in (default: working directory)'),
      limit: count(zod, 1).describe(`Most paths in this answer (default: ${RESULTS})`),
      offset: count(zod, 0).describe(
        'Paths to leave out first, to go on from an earlier answer (default: 0)',
      ),
    }),
  request: findRequest,
  answer: (result, input, limits) =>
    foundAnswer(result, findRequest(input), limits, {
      words: listWording,
      details: ({ shown, ...rest }) => ({ results: shown, ...truncation(rest) }),
    }),
});

export const ls = tool<LsInput, ListRequest>({
  name: 'ls',
  title: 'List a directory',
  effects: reads,
  about: (limits) =>
    `Lists one directory, dotfiles included, sorted without regard to case: / marks directories, @ links. ` +
    `At most ${ENTRIES} entries by default and ${binarySize(limits.bytes)}. A notice at the end gives the offset for the next call.`,
  input: (zod) =>
    zod.strictObject({
      path: zod.string().optional().describe('Directory (default: working directory)'),
      limit: count(zod, 1).describe(`Most entries in this answer (default: ${ENTRIES})`),
      offset: count(zod, 0).describe(
        'Entries to leave out first, to go on from an earlier answer (default: 0)',
      ),
    }),
  request: listRequest,
  answer: (result, input, limits) =>
    listAnswer(result, listRequest(input), limits, {
      words: listWording,
      details: ({ shown, ...rest }) => ({ entries: shown, ...truncation(rest) }),
    }),
});

function truncation({ cutBy, next }: Pick<ShownEntries, 'cutBy' | 'next'>): Record<string, unknown> {
  return next === undefined ? {} : { truncation: { by: cutBy ?? 'limit', next: { offset: next } } };
}
