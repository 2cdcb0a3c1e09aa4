/** pi's `grep`, `find` and `ls`: as much as fits, and a notice about how to get more. */

import { MOST_CONTEXT } from '../engine/walk/page-bounds.ts';
import { foundAnswer, listAnswer } from '../render/listing.ts';
import { matchesAnswer } from '../render/matches.ts';
import type { FindRequest, ListRequest, SearchRequest } from '../types/request.ts';
import { type DeclaredTool, reads, tool } from './dialect.ts';
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
import { listFailure } from './list-failures.ts';
import { entriesStyle, matchesStyle } from './pi-lists.ts';
import type { PiStyle } from './pi-style.ts';

export function grep(style: PiStyle): DeclaredTool {
  const matches = matchesStyle(style);
  return tool<Omit<GrepInput, 'offset'>, SearchRequest>({
    name: 'grep',
    title: 'Search file contents',
    example: { pattern: 'TODO|FIXME', glob: '*.ts' },
    effects: reads,
    about: ({ bytes }) =>
      'Search file contents for a pattern (ripgrep syntax). Use it rather than grep in a shell, e.g. pattern TODO. Returns matching lines with file paths and line numbers, ' +
      `sorted. Respects .gitignore. Output is truncated to ${MATCHES} matches or ${style.size(bytes)}, whichever is hit ` +
      `first; long lines are truncated to ${LINE_CHARACTERS} chars. A notice in brackets at the end says so: raise limit, or refine ` +
      'the pattern, the path or the glob.',
    input: (zod) =>
      zod.strictObject({
        pattern: zod.string().describe('Search pattern (regex or literal string)'),
        path: zod.string().optional().describe('Directory or file to search (default: current directory)'),
        glob: zod
          .string()
          .optional()
          .describe("Filter files by glob pattern, e.g. '*.ts' or '**/*.spec.ts' (default: all files)"),
        ignoreCase: zod.boolean().optional().describe('Case-insensitive search (default: false)'),
        literal: zod
          .boolean()
          .optional()
          .describe('Treat pattern as literal string instead of regex (default: false)'),
        context: count(zod, 0, MOST_CONTEXT).describe(
          'Number of lines to show before and after each match (default: 0)',
        ),
        limit: count(zod, 1).describe(`Maximum number of matches to return (default: ${MATCHES})`),
      }),
    failure: listFailure('grep', { reads: false }),
    request: (input) => searchRequest(input, 'head'),
    answer: (result, input, limits) => matchesAnswer(result, searchRequest(input, 'head'), limits, matches),
  });
}

export function find(style: PiStyle): DeclaredTool {
  const results = entriesStyle(style, 'resultLimitReached');
  return tool<Omit<FindInput, 'offset'>, FindRequest>({
    name: 'find',
    title: 'Find files',
    example: { pattern: 'src/**/*.ts' },
    effects: reads,
    about: ({ bytes }) =>
      'Search for files by glob pattern. Use it for names, grep for contents. Returns matching file paths, sorted. Respects .gitignore. Output is truncated ' +
      `to ${RESULTS} results or ${style.size(bytes)}, whichever is hit first. A notice in brackets at the end says so: raise ` +
      'limit, or refine the pattern.',
    input: (zod) =>
      zod.strictObject({
        pattern: zod
          .string()
          .describe("Glob pattern to match files, e.g. '*.ts', '**/*.json', or 'src/**/*.spec.ts'"),
        path: zod.string().optional().describe('Directory to search in (default: current directory)'),
        limit: count(zod, 1).describe(`Maximum number of results (default: ${RESULTS})`),
      }),
    failure: listFailure('find', { reads: false }),
    request: findRequest,
    answer: (result, input, limits) => foundAnswer(result, findRequest(input), limits, results),
  });
}

export function ls(style: PiStyle): DeclaredTool {
  const entries = entriesStyle(style, 'entryLimitReached');
  return tool<Omit<LsInput, 'offset'>, ListRequest>({
    name: 'ls',
    title: 'List a directory',
    example: { path: '.' },
    effects: reads,
    about: ({ bytes }) =>
      "List directory contents, e.g. path src. Use find to look for names at any depth. Returns entries sorted alphabetically, with '/' suffix for directories and '@' for " +
      `links. Includes dotfiles. Output is truncated to ${ENTRIES} entries or ${style.size(bytes)}, whichever is hit first. ` +
      'A notice in brackets at the end says so: raise limit.',
    input: (zod) =>
      zod.strictObject({
        path: zod.string().optional().describe('Directory to list (default: current directory)'),
        limit: count(zod, 1).describe(`Maximum number of entries to return (default: ${ENTRIES})`),
      }),
    failure: listFailure('ls', { reads: false }),
    request: listRequest,
    answer: (result, input, limits) => listAnswer(result, listRequest(input), limits, entries),
  });
}
