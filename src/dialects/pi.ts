/** The `pi` dialects: the tools and texts of the pi coding agent, as designed (`pi`) and as published (`pi@0.74`, `pi@1.6`). */

import {
  type ContractDeparture,
  type DeclaredTool,
  type Dialect,
  reads,
  runs,
  tool,
} from '../call/dialect.ts';
import { runAnswer } from '../render/answers.ts';
import {
  entriesAnswer,
  type ListStyle,
  matchesAnswer,
  type ShownEntries,
  type ShownMatches,
} from '../render/list-answers.ts';
import { type ListWording, listWording } from '../render/list-notices.ts';
import { fullOutput, type NoticeWording, wording } from '../render/notices.ts';
import { MAX_CONTEXT_LINES } from '../search/page-bounds.ts';
import { baseLimits, KIB } from '../text/limits.ts';
import type { Notice } from '../types/answer.ts';
import type { Limits } from '../types/excerpt.ts';
import type { FindRequest, ListRequest, RunRequest, SearchRequest } from '../types/request.ts';
import type { RunResult, RunStream } from '../types/result.ts';
import {
  countField,
  ENTRIES,
  type FindInput,
  findRequest,
  type GrepInput,
  LINE_CHARACTERS,
  listFailure,
  listRequest,
  type LsInput,
  MATCHES,
  RESULTS,
  searchRequest,
} from './lists.ts';
import { currentStyle, limitOf, piRead, type PiStyle, publishedStyle, seedStyle } from './pi-read.ts';

/** Maximum lines of an answer. */
const LINES = 2000;

/** In `pi`, 30KB are 30,000 bytes. */
export function pi(): Dialect {
  return versionOf('pi', 30_000, seedStyle, []);
}

/** Because of this the last page of many files is empty. */
const LAST_LINE = 'the empty string behind a final newline is counted as a line';

export function published(): Dialect {
  return versionOf('pi@0.74', 50 * KIB, publishedStyle, [
    { law: 2, tool: 'read', why: LAST_LINE },
    { law: 2, tool: 'bash', why: LAST_LINE },
  ]);
}

export function current(): Dialect {
  return versionOf('pi@1.6', 50 * KIB, currentStyle, [{ law: 2, tool: 'read', why: LAST_LINE }]);
}

function versionOf(
  name: string,
  bytes: number,
  style: PiStyle,
  departs: readonly ContractDeparture[],
): Dialect {
  const limits: Limits = { ...baseLimits, unit: 'bytes', lines: LINES, bytes, line: bytes };
  return {
    name,
    limits,
    tools: [piRead, piBash, piGrep, piFind, piLs].map((make) => make(style)),
    departs: [
      { law: 1, tool: 'read', why: 'a line over the byte limit is not shown: its reader is sent to bash' },
      { law: 4, tool: 'read', why: 'the notice about such a line names a command, not a call of read' },
      { law: 4, tool: 'bash', why: 'the notice names the file with the full output, not a window of it' },
      ...['grep', 'find', 'ls'].map((tool) => ({
        law: 4,
        tool,
        why: 'a larger limit begins again, and the notice of the byte limit names no call',
      })),
      ...departs,
    ],
  };
}

// pi's `bash`: the end of a long output, and the file with the full output.

interface BashInput {
  readonly command: string;
  readonly timeout?: number | undefined;
}

function piBash(style: PiStyle): DeclaredTool {
  return tool<BashInput, RunRequest>({
    name: 'bash',
    title: 'Bash',
    example: { command: 'npm test' },
    effects: runs,
    about: ({ lines, bytes }) =>
      'Execute a bash command in the current working directory, e.g. npm test. Use read, grep and find to look at files. Returns stdout and stderr, interleaved. Output is ' +
      `truncated to the last ${lines} lines or ${style.size(bytes)}, whichever is hit first; then a notice in brackets at the ` +
      'end names a file with the full output, which read can page through.',
    input: (zod) =>
      zod.strictObject({
        command: zod.string().describe('Bash command to execute'),
        timeout: zod.number().optional().describe('Timeout in seconds (default: 120)'),
      }),
    request: ({ command, timeout }) => ({
      kind: 'run',
      command,
      timeout,
      streams: 'merged',
      keep: 'tail',
      snap: 'line',
      display: 'terminal',
    }),
    // If the empty line after the final newline is counted, it takes one line of the limit.
    limits: (_, limits) =>
      style.countsLast === 'always' ? { ...limits, lines: Math.max(1, limits.lines - 1) } : limits,
    answer(run) {
      const { gap } = style;
      const outcome = gap === '' ? 'above' : 'below';
      // Since pi counts no empty last line, a truncated output has none either.
      const sharesEnd =
        style.countsLast !== 'always' && run.streams.some(({ excerpt }) => excerpt.cutBy !== undefined);
      const how = { notices: 'together', gap, sharesEnd, outcome } as const;
      const answer = runAnswer(run, commandWording(style, run), how);
      const facts = run.streams.map((stream) => factsOf(stream, run, style))[0];
      return { ...answer, details: { ...answer.details, ...facts } };
    },
  });
}

/** 1 if the output ends with a newline and the empty line after it is counted, otherwise 0. */
function lastLine({ countsLast }: PiStyle, { excerpt }: RunStream): 0 | 1 {
  return countsLast === 'always' && excerpt.parts.at(-1)?.at(-1)?.text.endsWith('\n') ? 1 : 0;
}

function commandWording(style: PiStyle, { streams }: RunResult): NoticeWording {
  const more = streams[0] ? lastLine(style, streams[0]) : 0;
  const { size } = style;
  return {
    ...wording,
    'time-out': ({ seconds }) => `Command timed out after ${seconds} seconds`,
    'output-cut': (notice) => `Showing ${spanOf(notice, more, style)}. ${fullOutput(notice, size)}`,
    'output-binary': (notice) =>
      `The output is binary (${size(notice.bytes)}) and is not shown. ${fullOutput(notice, size)}`,
  };
}

type OutputCut = Extract<Notice, { kind: 'output-cut' }>;

function spanOf({ lines, totals, by, limits, partial }: OutputCut, more: 0 | 1, style: PiStyle): string {
  if (partial) {
    const whole = style.overSize(partial.bytes, limits);
    return `last ${style.size(partial.shown)} of line ${partial.no} (line is ${whole})`;
  }
  const why = by === 'lines' ? '' : ` (${limitOf(style, by, limits)})`;
  const [first, last] = [lines[0]?.[0] ?? 0, (lines.at(-1)?.[1] ?? 0) + more];
  return `lines ${first}-${last} of ${totals.lines + more}${why}`;
}

function factsOf(stream: RunStream, { limits }: RunResult, style: PiStyle): Record<string, unknown> {
  const { excerpt, bytes, lines, spill } = stream;
  const shown = excerpt.parts.flat();
  const more = lastLine(style, stream);
  return {
    truncation: excerpt.cutBy
      ? {
          truncated: true,
          truncatedBy: excerpt.cutBy === 'lines' || excerpt.cutBy === 'tokens' ? excerpt.cutBy : 'bytes',
          outputLines: shown.length + more,
          outputBytes: excerpt.span ? excerpt.span.end - excerpt.span.start : 0,
          totalLines: lines + more,
          totalBytes: bytes,
          lastLinePartial: shown.at(-1)?.cut !== undefined,
          firstLineExceedsLimit: false,
          maxLines: limits.lines + (style.countsLast === 'always' ? 1 : 0),
          maxBytes: limits.bytes,
        }
      : undefined,
    fullOutputPath: spill?.path,
  };
}

// pi's `grep`, `find` and `ls`: as much as fits, and a notice about how to get more.

function piGrep(style: PiStyle): DeclaredTool {
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
        context: countField(zod, 0, MAX_CONTEXT_LINES).describe(
          'Number of lines to show before and after each match (default: 0)',
        ),
        limit: countField(zod, 1).describe(`Maximum number of matches to return (default: ${MATCHES})`),
      }),
    failure: (error, input) => listFailure('grep', error, input, { reads: false }),
    request: (input) => searchRequest(input, 'head'),
    answer: (result, input, limits) => matchesAnswer(result, searchRequest(input, 'head'), limits, matches),
  });
}

function piFind(style: PiStyle): DeclaredTool {
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
        limit: countField(zod, 1).describe(`Maximum number of results (default: ${RESULTS})`),
      }),
    failure: (error, input) => listFailure('find', error, input, { reads: false }),
    request: findRequest,
    answer: (result, input, limits) => entriesAnswer(result, findRequest(input), limits, results),
  });
}

function piLs(style: PiStyle): DeclaredTool {
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
        limit: countField(zod, 1).describe(`Maximum number of entries to return (default: ${ENTRIES})`),
      }),
    failure: (error, input) => listFailure('ls', error, input, { reads: false }),
    request: listRequest,
    answer: (result, input, limits) => entriesAnswer(result, listRequest(input), limits, entries),
  });
}

// The texts and details of pi's lists, for each of its versions.

function wordingOfLists({ size, tellsShown }: PiStyle): ListWording {
  return {
    ...listWording,
    limit: ({ of, limit }) => {
      const refine = of === 'entries' ? '' : ', or refine pattern';
      return `${limit} ${of} limit reached. Use limit=${limit * 2} for more${refine}`;
    },
    budget: ({ of, by, budget, shown, found, more }) => {
      const limit = by === 'bytes' ? size(budget) : `${budget} ${by.slice(0, -1)}`;
      const tells = tellsShown && of === 'matches';
      return `${limit} limit reached${tells ? ` (${shown} of ${found}${more ? '+' : ''} matches shown)` : ''}`;
    },
    clipped: ({ characters }) =>
      `Some lines truncated to ${characters} chars. Use read tool to see full lines`,
  };
}

export function matchesStyle(style: PiStyle): ListStyle<ShownMatches> {
  return {
    words: wordingOfLists(style),
    gap: style.gap,
    details: ({ limitReached, limit, clipped, ...shown }) => ({
      matchLimitReached: limitReached ? limit : undefined,
      ...truncation(shown),
      ...(clipped && { linesTruncated: true }),
    }),
  };
}

/** `name`: the field of `details` for the caller's limit. */
export function entriesStyle(
  style: PiStyle,
  name: 'resultLimitReached' | 'entryLimitReached',
): ListStyle<ShownEntries> {
  return {
    words: wordingOfLists(style),
    gap: style.gap,
    details: ({ limitReached, limit, ...shown }) => ({
      ...(limitReached && { [name]: limit }),
      ...truncation(shown),
    }),
  };
}

/** The fields of pi's `TruncationResult`. Totals are those of what was found, up to the caller's limit. */
function truncation({
  cutBy,
  text,
  whole,
  limits,
}: Pick<ShownEntries, 'cutBy' | 'text' | 'whole' | 'limits'>): Record<string, unknown> {
  if (!cutBy) return {};
  return {
    truncation: {
      truncated: true,
      truncatedBy: cutBy,
      outputLines: text.split('\n').length,
      outputBytes: Buffer.byteLength(text),
      totalLines: whole.lines,
      totalBytes: whole.bytes,
      lastLinePartial: false,
      firstLineExceedsLimit: false,
      // Lists have no limit of lines; the caller's limit is separate.
      maxLines: Number.MAX_SAFE_INTEGER,
      maxBytes: limits.bytes,
    },
  };
}
