/** The default dialect: one path string selects anything, and every cut answer names the next call. */

import { linesToSelector } from '../call/other-names.ts';
import {
  type Dialect,
  type InputOf,
  type OfferedFeatures,
  reads,
  readsWeb,
  runs,
  type SchemaKit,
  tool,
} from '../call/dialect.ts';
import { OrielError } from '../errors.ts';
import { readAnswer, runAnswer } from '../render/answers.ts';
import { binarySize } from '../render/display.ts';
import {
  countAnswer,
  foundAnswer,
  listAnswer,
  matchesAnswer,
  type ShownEntries,
  type ShownMatches,
} from '../render/list-answers.ts';
import { listWording } from '../render/list-notices.ts';
import { errorAnswer, withCall, wording } from '../render/notices.ts';
import { MAX_CONTEXT_LINES } from '../search/page-bounds.ts';
import { writeSize } from '../selector/selection.ts';
import { baseLimits, cutPolicy } from '../text/limits.ts';
import type { Limits } from '../types/excerpt.ts';
import type {
  CountRequest,
  FindRequest,
  ListRequest,
  ReadRequest,
  RunRequest,
  SearchRequest,
  SymbolsRequest,
} from '../types/request.ts';
import type { Settings } from '../types/settings.ts';
import {
  countField,
  ENTRIES,
  findRequest,
  LINE_CHARACTERS,
  listFailure,
  listRequest,
  type LsInput,
  MATCHES,
  RESULTS,
  searched,
  searchRequest,
  withFindCall,
  withWholeCall,
} from './lists.ts';

// The default dialect's `find` and `ls`.

const findFields = (zod: SchemaKit) => ({
  pattern: zod.string().optional().describe('Glob, only without symbol: *.ts, src/**/*.{ts,tsx}'),
  symbol: zod.string().optional().describe('Words about code, only without pattern: parse header'),
  path: zod.string().optional().describe('Directory to look in (default: working directory)'),
  sort: sorting(zod),
  limit: countField(zod, 1).describe(`Most paths in this answer (default: ${RESULTS})`),
  offset: countField(zod, 0).describe('Paths to leave out first (default: 0)'),
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
    return { kind: 'symbols', query: symbol, path, limit, offset };
  }
  const why = symbol === undefined ? 'Nothing to find was given' : 'Symbols are found by words alone';
  throw new OrielError(
    'BAD_INPUT',
    `${why}. Use pattern *.ts for files, or symbol "parse header" for symbols.`,
  );
}

const find = tool<OrielFindInput, FindRequest | SymbolsRequest>({
  name: 'find',
  title: 'Find files',
  example: { pattern: 'src/**/*.ts' },
  effects: reads,
  about: (limits) =>
    `Finds files by a glob, or symbols of code by words; use it for names, grep for contents. *.ts by name at any depth, src/**/*.test.ts by path. ` +
    `Respects .gitignore, finds hidden files, never .git; links are not followed. Paths are sorted, at most ${RESULTS} ` +
    `by default and ${binarySize(limits.bytes)}. A notice gives the offset for the next call.`,
  input: (zod) => zod.strictObject(findFields(zod)),
  failure: (error, input) => listFailure('find', error, input),
  request: filesOrSymbols,
  answer: (result, input, limits) =>
    foundAnswer(result, filesOrSymbols(input), limits, {
      words: listWording,
      details: ({ shown, ...rest }) => ({ results: shown, ...truncation(rest) }),
    }),
});

const ls = tool<LsInput, ListRequest>({
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
      limit: countField(zod, 1).describe(`Most entries in this answer (default: ${ENTRIES})`),
      offset: countField(zod, 0).describe('Entries to leave out first (default: 0)'),
    }),
  failure: (error, input) => listFailure('ls', error, input),
  request: listRequest,
  answer: (result, input, limits) =>
    listAnswer(result, listRequest(input), limits, {
      words: listWording,
      details: ({ shown, ...rest }) => ({ entries: shown, ...truncation(rest) }),
    }),
});

/** The order of files. */
function sorting(zod: SchemaKit) {
  return zod.enum(['path', 'time']).optional().describe('path (default), or time: newest files first');
}

/** `details.truncation`, with the offset of the next page; without one, what was left out. */
function truncation({
  cutBy,
  next,
  leftOut,
}: Pick<ShownEntries, 'cutBy' | 'next' | 'leftOut'>): Record<string, unknown> {
  if (next !== undefined) return { truncation: { by: cutBy ?? 'limit', next: { offset: next } } };
  return leftOut ? { leftOut } : {};
}

// The default dialect's `grep`: matches with context, the files with matches, or the number of matches in each.

const fields = (zod: SchemaKit) => ({
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
  context: countField(zod, 0, MAX_CONTEXT_LINES).describe(
    'Lines to show before and after each match (default: 0)',
  ),
  before: countField(zod, 0, MAX_CONTEXT_LINES).describe('Lines before each match (default: context)'),
  after: countField(zod, 0, MAX_CONTEXT_LINES).describe('Lines after each match (default: context)'),
  limit: countField(zod, 1).describe(`Most matches in this answer (default: ${MATCHES}; files: ${RESULTS})`),
  offset: countField(zod, 0).describe('Matches or files to leave out first (default: 0)'),
});

type OrielGrepInput = InputOf<typeof fields>;

const grep = tool<OrielGrepInput, SearchRequest | CountRequest>({
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
  failure: (error, input) => listFailure('grep', error, input),
  request: (input) => (isCount(input) ? countRequest(input) : matchRequest(input)),
  answer: (result, input, limits) =>
    result.kind === 'entries'
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
  return { kind: 'count', ...searched(input), ...narrowed(input), limit, counts: output === 'count' };
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
    sort: sort === 'time' ? sort : undefined,
    type,
    word,
    multiline,
    inside: inside ? 'below' : 'named',
  };
}

function matchDetails({ shown, clipped, ...rest }: ShownMatches): Record<string, unknown> {
  return { matches: shown, ...truncation(rest), ...(clipped && { linesTruncated: true }) };
}

const read = tool<{ path: string }, ReadRequest>({
  name: 'read',
  title: 'Read',
  example: { path: '.' },
  effects: readsWeb,
  about: (limits, { bash, settings }) =>
    `Reads what one path names: text, a directory, a document (PDF, docx, xlsx, pptx), an archive, a SQLite database, a notebook, ${settings.imageMetadataOnly ? 'the facts of an image' : 'an image'}. ` +
    `Use it instead of cat, head, sed, unzip, pdftotext; use grep to search many files. An answer has at most ${limits.lines} lines and ` +
    `${binarySize(limits.bytes)}; when cut, it ends with a notice in brackets that gives the exact path of the next call.

Append a selector to the path:
:50 line 50 to the end · :50-100 these lines and a few around them · :50..100 exactly these · :50+20 twenty lines · :5-16,40-80 several ranges
:-20 the last 20 lines · :@65536+${writeSize(limits.window)} ${binarySize(limits.window)} from byte 65536, whole lines
:raw as stored${settings.display === 'plain' ? '' : ', without line numbers'}, also :50-100:raw · :conflicts unresolved merge conflicts
:outline symbols with their line ranges · :#Server.start one symbol · :#a,#B.c,120..140 several at once
src:outline the code below a directory, what matters most first · src:#Server.start wherever below it · src:#name:refs its uses · src/app.ts:refs what imports it
report.pdf:p3 or :p3-5 pages, also slides · book.xlsx:Sales one sheet · book.xlsx:Sales:A1:B5 cells · book.xlsx:Sales?where=Units>100
app.zip lists · app.zip:src a directory · app.zip:src/x.ts:5-9 lines of a member
app.db tables · app.db:users schema and rows · app.db:users:42 row by key · app.db:users?where=age>30&order=age:desc&limit=20 · app.db?q=SELECT ... (read-only)
book.ipynb cells · book.ipynb:outputs with outputs${settings.imageMetadataOnly ? '' : ' · photo.jpg:meta facts alone'}${internal(settings, bash)}${settings.web ? online(settings.schemes) : ''}${settings.summarize ? `\nCode over 12 KiB is answered with a map of at most ${binarySize(settings.mapBytes)}: signatures, with ... for what is left out. Its last line names calls for that and for the whole text (:1..).` : ''}
Lines are 1-indexed${SHOWN[settings.display]}. A file whose name ends like a selector is read as that file. ` +
    'Prefer one large window to many small ones.',
  input: (zod) =>
    zod.strictObject({
      path: zod
        .string()
        .describe(
          'Path from the working directory, or absolute, with an optional selector: src/app.ts, src/app.ts:50-100, src',
        ),
    }),
  adapt: linesToSelector,
  request: ({ path }) => ({ kind: 'read', target: path, grammar: 'selectors' }),
  policy: () => cutPolicy,
  answer: (result) => readAnswer(result, wording),
  failure: (error) => errorAnswer(withCall(withFindCall(error))),
});

const SHOWN = {
  numbers: ' and shown as N|text',
  hashline: ' and shown as N:text below a header ¶PATH#TAG',
  plain: '',
} as const;

/** The line about internal resources, without those that are turned off or that a host removed. */
function internal(
  { schemes, mcpServers, agentOutputs, workspaces }: OfferedFeatures['settings'],
  bash: boolean,
): string {
  const isOn = (name: string): boolean => schemes[name] !== false;
  const lists = [
    'skill',
    'memory',
    'rule',
    'local',
    ...(agentOutputs ? ['agent'] : []),
    ...(mcpServers ? ['mcp'] : []),
    ...(Object.keys(workspaces).length > 0 ? ['ws'] : []),
  ]
    .filter(isOn)
    .map((name) => `${name}://`);
  const named = `${lists.slice(0, -1).join(', ')} and ${lists.at(-1)} list`;
  const single = [
    ...(bash && isOn('artifact') ? ['artifact://1 a kept command output'] : []),
    ...(isOn('oriel') ? ['oriel:// the manual'] : []),
  ].join(' · ');
  const listed = lists.length > 1 ? `${named} theirs` : lists.map((name) => `${name} lists its own`).join('');
  const all = [single, listed].filter((part) => part !== '').join('; ');
  return all === '' ? '' : `\n${all}`;
}

/** The line about web resources. */
function online(schemes: Settings['schemes']): string {
  const gitHub = ['issue://7', 'pr://12/diff'].filter((url) => schemes[url.replace(/:.*/, '')] !== false);
  const theirs = gitHub.length > 0 ? ` · ${gitHub.join(', ')} on GitHub` : '';
  return `\nhttps://example.com/x a web page as Markdown · :raw its source · :fresh asks again${theirs}`;
}

const bash = tool<{ command: string; timeout?: number | undefined; cwd?: string | undefined }, RunRequest>({
  name: 'bash',
  title: 'Bash',
  example: { command: 'npm test' },
  effects: runs,
  about: (limits, { settings }) =>
    `Runs a command in bash and answers its output, stdout and stderr as they came. Of a long output the end is shown, ` +
    `at most ${bashLines(limits)} lines and ${binarySize(limits.bytes)}; its first 1 GiB is kept, and a notice in ` +
    `brackets gives the exact path to read it by${settings.schemes['artifact'] === false ? '' : ' (artifact://1:-2000@65536)'}. Read or grep that instead of running the command again. ` +
    `Use it to build, test and change things, e.g. npm test; not to read files.

stdin is empty, and nothing can be asked: pass -y or -m. Processes that still run when the shell ends are ended with it. ` +
    'cwd must lie inside the allowed directories; the command itself is not confined.',
  input: (zod) =>
    zod.strictObject({
      command: zod.string().describe('What bash -c runs'),
      timeout: zod
        .number()
        .optional()
        .describe('Seconds until the command is ended, fractions allowed (default: 120)'),
      cwd: zod.string().optional().describe('Directory to run in (default: working directory)'),
    }),
  request: ({ command, timeout, cwd }) => ({
    kind: 'run',
    command,
    timeout,
    cwd,
    streams: 'merged',
    keep: 'tail',
    snap: 'line',
    display: 'terminal',
  }),
  limits: (_, limits) => ({ ...limits, lines: bashLines(limits) }),
  answer: (result) => runAnswer(result, wording),
  failure: (error, input) => errorAnswer(input ? withWholeCall(error, input, 'cwd') : error),
});

function bashLines({ lines }: Limits): number {
  return Math.min(lines, 2_000);
}

export const oriel: Dialect = {
  name: 'oriel',
  limits: baseLimits,
  tools: [read, bash, grep, find, ls],
  departs: [],
};
