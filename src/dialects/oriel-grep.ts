/** The default dialect's `grep`: matches with context, the files with matches, or the number of matches in each. */

import { MOST_CONTEXT } from '../engine/walk/page-bounds.ts';
import { listWording } from '../render/list-notices.ts';
import { countAnswer } from '../render/listing.ts';
import { matchesAnswer, type ShownMatches } from '../render/matches.ts';
import { binarySize } from '../render/units.ts';
import type { CountRequest, SearchRequest } from '../types/request.ts';
import { type InputOf, reads, tool, type Zod } from './dialect.ts';
import { listFailure } from './list-failures.ts';
import { count, LINE_CHARACTERS, MATCHES, RESULTS, searched, searchRequest } from './lists.ts';
import { sorting, truncation } from './oriel-lists.ts';
import { grepFields } from './other-fields.ts';

const fields = (zod: Zod) => ({
  pattern: zod.string().describe('Regular expression, or plain text with literal'),
  path: zod.string().optional().describe('File or directory (default: working directory)'),
  glob: zod.string().optional().describe('Only files that match: *.ts, src/**/*.{ts,tsx}'),
  type: zod.string().optional().describe("Only files of one of ripgrep's types: ts, py, md"),
  output: zod
    .enum(['matches', 'files', 'count'])
    .optional()
    .describe('matches (default), files: their paths alone, count: matches in each'),
  ignoreCase: zod.boolean().optional().describe('Ignore case (default: false)'),
  literal: zod.boolean().optional().describe('Take the pattern as plain text (default: false)'),
  word: zod.boolean().optional().describe('Match whole words only (default: false)'),
  multiline: zod
    .boolean()
    .optional()
    .describe('A match may go over several lines; (?s) lets . match line breaks (default: false)'),
  inside: zod
    .boolean()
    .optional()
    .describe(
      'Also search inside documents, notebooks, archives and databases below the path (default: false)',
    ),
  sort: sorting(zod),
  context: count(zod, 0, MOST_CONTEXT).describe('Lines to show before and after each match (default: 0)'),
  before: count(zod, 0, MOST_CONTEXT).describe('Lines before each match (default: context)'),
  after: count(zod, 0, MOST_CONTEXT).describe('Lines after each match (default: context)'),
  limit: count(zod, 1).describe(`Most matches in this answer (default: ${MATCHES}; files: ${RESULTS})`),
  offset: count(zod, 0).describe('Matches or files to leave out first (default: 0)'),
});

type OrielGrepInput = InputOf<typeof fields>;

export const grep = tool<OrielGrepInput, SearchRequest | CountRequest>({
  name: 'grep',
  title: 'Search file contents',
  example: { pattern: 'TODO|FIXME', glob: '*.ts' },
  effects: reads,
  about: (limits) =>
    `Searches the lines of files with a regular expression (ripgrep syntax, no look-around). Use it to find where ` +
    `something is, e.g. pattern TODO|FIXME with glob *.ts; use find for file names. Respects ` +
    `.gitignore, searches hidden files, never .git. Results are sorted by path and line, as path:LINE: text, in code ` +
    `below the symbol that holds them (in Server.start [L6-9]). ` +
    `At most ${MATCHES} matches by default and ${binarySize(limits.bytes)}; lines over ${LINE_CHARACTERS} characters are ` +
    `shown around the match. A notice gives the offset for the next call. Documents, ` +
    'notebooks, archives and databases are searched inside where named: report.pdf:p12:LINE.',
  input: (zod) => zod.strictObject(fields(zod)),
  adapt: grepFields,
  failure: listFailure('grep'),
  request: (input) => (isCount(input) ? countRequest(input) : matchRequest(input)),
  answer: (result, input, limits) =>
    result.is === 'entries'
      ? countAnswer(result, countRequest(input), limits, {
          words: listWording,
          details: ({ shown, ...rest }) => ({ files: shown, ...truncation(rest) }),
        })
      : matchesAnswer(result, matchRequest(input), limits, { words: listWording, details: matchDetails }),
});

function isCount({ output = 'matches' }: OrielGrepInput): boolean {
  return output !== 'matches';
}

function matchRequest(input: OrielGrepInput): SearchRequest {
  const request = searchRequest(input, 'match');
  const { before = request.before, after = request.after } = input;
  return { ...request, ...narrowed(input), before, after, leads: true };
}

function countRequest(input: OrielGrepInput): CountRequest {
  const { limit = RESULTS, output } = input;
  return { do: 'count', ...searched(input), ...narrowed(input), limit, counts: output === 'count' };
}

/** The fields that pi's `grep` does not have. */
function narrowed({
  type,
  word = false,
  multiline = false,
  inside = false,
  sort,
}: OrielGrepInput): Pick<SearchRequest, 'type' | 'word' | 'multiline' | 'inside' | 'sort'> {
  return {
    ...(sort === 'time' && { sort }),
    ...(type !== undefined && { type }),
    word,
    multiline,
    inside: inside ? 'below' : 'named',
  };
}

function matchDetails({ shown, clipped, ...rest }: ShownMatches): Record<string, unknown> {
  return { matches: shown, ...truncation(rest), ...(clipped && { linesTruncated: true }) };
}
