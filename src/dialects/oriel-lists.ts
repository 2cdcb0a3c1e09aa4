/** The default dialect's `find` and `ls`. */

import { OrielError } from '../errors.ts';
import { listWording } from '../render/list-notices.ts';
import { foundAnswer, listAnswer, type ShownEntries } from '../render/listing.ts';
import { binarySize } from '../render/units.ts';
import type { FindRequest, ListRequest, SymbolsRequest } from '../types/request.ts';
import { type InputOf, reads, tool, type Zod } from './dialect.ts';
import { listFailure } from './list-failures.ts';
import { count, ENTRIES, findRequest, listRequest, type LsInput, RESULTS } from './lists.ts';
import { globFields } from './other-fields.ts';

const findFields = (zod: Zod) => ({
  pattern: zod.string().optional().describe('Glob, only without symbol: *.ts, src/**/*.{ts,tsx}'),
  symbol: zod.string().optional().describe('Words about code, only without pattern: parse header'),
  path: zod.string().optional().describe('Directory to look in (default: working directory)'),
  sort: sorting(zod),
  limit: count(zod, 1).describe(`Most paths in this answer (default: ${RESULTS})`),
  offset: count(zod, 0).describe('Paths to leave out first (default: 0)'),
});

type OrielFindInput = InputOf<typeof findFields>;

const SYMBOLS = 20;

/** Throws `BAD_INPUT` unless exactly one of `pattern` and `symbol` is given. */
function filesOrSymbols(input: OrielFindInput): FindRequest | SymbolsRequest {
  const { pattern, symbol, path, limit = SYMBOLS, offset = 0 } = input;
  if (pattern !== undefined && symbol === undefined) {
    return {
      ...findRequest({ ...input, pattern }),
      ...(input.sort === 'time' && { sort: 'time' }),
      findsSymbols: true,
    };
  }
  if (symbol !== undefined && pattern === undefined && input.sort !== 'time') {
    return { do: 'symbols', query: symbol, ...(path !== undefined && { path }), limit, offset };
  }
  const why = symbol === undefined ? 'Nothing to find was given' : 'Symbols are found by words alone';
  throw new OrielError(
    'BAD_INPUT',
    `${why}. Use pattern *.ts for files, or symbol "parse header" for symbols.`,
  );
}

export const find = tool<OrielFindInput, FindRequest | SymbolsRequest>({
  name: 'find',
  title: 'Find files',
  example: { pattern: 'src/**/*.ts' },
  effects: reads,
  about: (limits) =>
    `Finds files by a glob, or symbols of code by words; use it for names, grep for contents. *.ts by name at any depth, src/**/*.test.ts by path. ` +
    `Respects .gitignore, finds hidden files, never .git; links are not followed. Paths are sorted, at most ${RESULTS} ` +
    `by default and ${binarySize(limits.bytes)}. A notice gives the offset for the next call.`,
  input: (zod) => zod.strictObject(findFields(zod)),
  adapt: globFields,
  failure: listFailure('find'),
  request: filesOrSymbols,
  answer: (result, input, limits) =>
    foundAnswer(result, filesOrSymbols(input), limits, {
      words: listWording,
      details: ({ shown, ...rest }) => ({ results: shown, ...truncation(rest) }),
    }),
});

export const ls = tool<LsInput, ListRequest>({
  name: 'ls',
  title: 'List a directory',
  example: { path: '.' },
  effects: reads,
  about: (limits) =>
    `Lists one directory (e.g. path src), dotfiles included, sorted without regard to case: / marks directories, @ links. ` +
    `Use it for plain names; read shows sizes and ages too. ` +
    `At most ${ENTRIES} entries by default and ${binarySize(limits.bytes)}. A notice gives the offset for the next call.`,
  input: (zod) =>
    zod.strictObject({
      path: zod.string().optional().describe('Directory (default: working directory)'),
      limit: count(zod, 1).describe(`Most entries in this answer (default: ${ENTRIES})`),
      offset: count(zod, 0).describe('Entries to leave out first (default: 0)'),
    }),
  failure: listFailure('ls'),
  request: listRequest,
  answer: (result, input, limits) =>
    listAnswer(result, listRequest(input), limits, {
      words: listWording,
      details: ({ shown, ...rest }) => ({ entries: shown, ...truncation(rest) }),
    }),
});

/** The order of files. */
export function sorting(zod: Zod) {
  return zod.enum(['path', 'time']).optional().describe('path (default), or time: newest files first');
}

/** `details.truncation`, with the offset of the next page. */
export function truncation({ cutBy, next }: Pick<ShownEntries, 'cutBy' | 'next'>): Record<string, unknown> {
  return next === undefined ? {} : { truncation: { by: cutBy ?? 'limit', next: { offset: next } } };
}
