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
import { binarySize, limitSize } from '../render/display.ts';
import {
  entriesAnswer,
  matchesAnswer,
  type ShownEntries,
  type ShownMatches,
} from '../render/list-answers.ts';
import { listWording } from '../render/list-notices.ts';
import { errorAnswer, withCall, wording } from '../render/notices.ts';
import { MAX_CONTEXT_LINES } from '../search/page-bounds.ts';
import { writeSize } from '../selector/selection.ts';
import { baseLimits, shownOfWindow } from '../text/limits.ts';
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

/** The size of an answer in words. */
const sizeOf = (limits: Limits): string =>
  limits.unit === 'characters' ? `${limitSize(limits.bytes, limits)}s` : binarySize(limits.bytes);

// The default dialect's `find` and `ls`.

const findFields = (zod: SchemaKit) => ({
  pattern: zod.string().optional(),
  symbol: zod.string().optional().describe('Only for code: parse header'),
  source: zod.boolean().optional().describe('Answer a question with code'),
  path: zod.string().optional(),
  sort: zod.enum(['path', 'time']).optional(),
  limit: countField(zod, 1),
  offset: countField(zod, 0),
});

type OrielFindInput = InputOf<typeof findFields>;

const SYMBOLS = 20;

/** Throws `BAD_INPUT` unless exactly one of `pattern` and `symbol` is given. */
function filesOrSymbols(input: OrielFindInput): FindRequest | SymbolsRequest {
  const { pattern, symbol, source, path, limit = SYMBOLS, offset = 0 } = input;
  if (pattern !== undefined && symbol === undefined && source !== true) {
    return {
      ...findRequest({ ...input, pattern }),
      ...(input.sort === 'time' && { sort: 'time' }),
      findsSymbols: true,
    };
  }
  if (symbol !== undefined && pattern === undefined && input.sort !== 'time') {
    return { kind: 'symbols', query: symbol, source, path, limit, offset };
  }
  const nothing = pattern === undefined ? 'Nothing to find was given' : 'Only symbols have a source';
  const why = symbol === undefined ? nothing : 'Symbols are found by words alone';
  throw new OrielError(
    'BAD_INPUT',
    `${why}. Use {"pattern":"*.ts"}. For symbols, use {"symbol":"parse header"}.`,
    { next: '{"pattern":"*.ts"}' },
  );
}

const find = tool<OrielFindInput, FindRequest | SymbolsRequest>({
  name: 'find',
  title: 'Find files',
  example: { pattern: 'src/**/*.ts' },
  effects: reads,
  about: (_, { offers }) =>
    `Finds files by glob (*.ts at any depth, src/**/*.test.ts by path), or symbols of code by words` +
    `${offers('grep') ? '; use grep for contents' : ''}. Respects .gitignore, finds hidden files, never .git. ` +
    `Sorted paths, no links. At most ${RESULTS} results; a notice gives the next offset.`,
  input: (zod) => zod.strictObject(findFields(zod)),
  failure: (error, input) => listFailure('find', error, input),
  request: filesOrSymbols,
  answer: (result, input, limits) =>
    entriesAnswer(result, filesOrSymbols(input), limits, {
      words: listWording,
      details: ({ shown, ...rest }) => ({ results: shown, ...truncation(rest) }),
    }),
});

const ls = tool<LsInput, ListRequest>({
  name: 'ls',
  title: 'List a directory',
  example: { path: '.' },
  effects: reads,
  about: (_, { offers }) =>
    `Lists a directory (e.g. src), with dotfiles: / marks directories, @ links. ` +
    `${offers('read') ? 'Use it for plain names; read shows sizes and ages. ' : ''}` +
    `At most ${ENTRIES} entries; a notice gives the next offset.`,
  input: (zod) =>
    zod.strictObject({
      path: zod.string().optional(),
      limit: countField(zod, 1),
      offset: countField(zod, 0),
    }),
  failure: (error, input) => listFailure('ls', error, input),
  request: listRequest,
  answer: (result, input, limits) =>
    entriesAnswer(result, listRequest(input), limits, {
      words: listWording,
      details: ({ shown, ...rest }) => ({ entries: shown, ...truncation(rest) }),
    }),
});

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
  pattern: zod.string(),
  path: zod.string().optional(),
  glob: zod.string().optional().describe('Only *.ts, src/**/*.{ts,tsx}'),
  type: zod.string().optional().describe('Only this ripgrep type: ts'),
  output: zod.enum(['matches', 'files', 'count']).optional().describe('Default: matches'),
  ignoreCase: zod.boolean().optional(),
  literal: zod.boolean().optional(),
  word: zod.boolean().optional(),
  multiline: zod.boolean().optional(),
  inside: zod.boolean().optional().describe('Also in documents, archives, databases'),
  sort: zod.enum(['path', 'time']).optional(),
  context: countField(zod, 0, MAX_CONTEXT_LINES),
  before: countField(zod, 0, MAX_CONTEXT_LINES),
  after: countField(zod, 0, MAX_CONTEXT_LINES),
  limit: countField(zod, 1),
  offset: countField(zod, 0),
});

type OrielGrepInput = InputOf<typeof fields>;

const grep = tool<OrielGrepInput, SearchRequest | CountRequest>({
  name: 'grep',
  title: 'Search file contents',
  example: { pattern: 'TODO|FIXME', glob: '*.ts' },
  effects: reads,
  about: (_, { offers }) =>
    `Searches files with a regular expression (ripgrep syntax, no look-around), e.g. TODO|FIXME with glob *.ts` +
    `${offers('find') ? '; use find for file names' : ''}. Respects .gitignore, finds hidden files, never .git. Sorted results, ` +
    `path:LINE: text, in code below their symbol. At most ${MATCHES} matches, ${RESULTS} files; a notice gives the next offset. ` +
    'Named documents, notebooks, archives and databases are searched inside: report.pdf:p12:LINE.',
  input: (zod) => zod.strictObject(fields(zod)),
  failure: (error, input) => listFailure('grep', error, input),
  request: (input) => ((input.output ?? 'matches') === 'matches' ? matchRequest(input) : countRequest(input)),
  answer: (result, input, limits) =>
    result.kind === 'entries'
      ? entriesAnswer(result, countRequest(input), limits, {
          words: listWording,
          details: ({ shown, ...rest }) => ({ files: shown, ...truncation(rest) }),
        })
      : matchesAnswer(result, matchRequest(input), limits, { words: listWording, details: matchDetails }),
});

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
  about: (limits, { offers, settings }) =>
    `Reads any path, also what plain readers cannot: directories, PDF, docx, xlsx, pptx, archives, SQLite databases, notebooks, ${settings.imageMetadataOnly ? 'facts of ' : ''}images. ` +
    `Use it instead of cat, sed, unzip. At most ${limits.lines} lines and ` +
    `${sizeOf(limits)}; a cut answer ends with the next path.

Append to the path:
:50 to the end · :50-100 and a few around · :50..100 exactly · :50+20 · :5-16,40-80 · :-20 the last · :@65536+${writeSize(Math.min(limits.window, shownOfWindow(limits)))} bytes
:raw${settings.display === 'plain' ? '' : ' without line numbers'} · :conflicts
:outline symbols with lines · :#Server.start,#b symbols · src:outline, src:#Server below a directory · src:#name:refs uses · src/app.ts:refs importers, :imports
report.pdf:p3-5, also slides · book.xlsx:Sales:A1:B5 · app.zip:src/x.ts:5-9 · book.ipynb:outputs${settings.imageMetadataOnly ? '' : ' · photo.jpg:meta'}
app.db:users:42 a row · :users?where=age>30&order=age:desc&limit=20 · ?q=SELECT ...${internal(settings, offers)}${settings.web ? online(settings.schemes) : ''}${settings.summarize ? `\nLong code, prose and logs come as a map of ${binarySize(settings.mapBytes)} with calls for the rest; :1.. shows all.` : ''}
Lines count from 1${SHOWN[settings.display]}. Prefer one large window.`,
  input: (zod) =>
    zod.strictObject({
      path: zod.string().describe('Absolute or relative: src/app.ts:50-100'),
    }),
  adapt: linesToSelector,
  request: ({ path }) => ({ kind: 'read', target: path, grammar: 'selectors' }),
  answer: (result) => readAnswer(result, wording),
  failure: (error) => errorAnswer(withCall(withFindCall(error))),
});

const SHOWN = {
  numbers: ': N|text',
  hashline: ': N:text below a header ¶PATH#TAG',
  'hashline@18': ': N:text below a header [PATH#TAG]',
  plain: '',
} as const;

/** The line about internal resources, without those that are turned off or that a host removed. */
function internal(
  { schemes, mcpServers, agentOutputs, workspaces }: OfferedFeatures['settings'],
  offers: OfferedFeatures['offers'],
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
    ...(offers('bash') && isOn('artifact') ? ['artifact://1 kept output'] : []),
    ...(isOn('oriel') ? ['oriel:// manual'] : []),
  ].join(' · ');
  const listed = lists.length > 1 ? `${named} theirs` : lists.map((name) => `${name} lists its own`).join('');
  const all = [single, listed].filter((part) => part !== '').join('; ');
  return all === '' ? '' : `\n${all}`;
}

/** The line about web resources. */
function online(schemes: Settings['schemes']): string {
  const gitHub = ['issue://7', 'pr://12/diff'].filter((url) => schemes[url.replace(/:.*/, '')] !== false);
  const theirs = gitHub.length > 0 ? ` · ${gitHub.join(', ')} on GitHub` : '';
  return `\nhttps://example.com/x page · :raw its source · :fresh asks again${theirs}`;
}

const bash = tool<{ command: string; timeout?: number | undefined; cwd?: string | undefined }, RunRequest>({
  name: 'bash',
  title: 'Bash',
  example: { command: 'npm test' },
  effects: runs,
  about: (limits, { settings }) =>
    `Runs a command in bash and answers its output, stdout and stderr as they came. Of a long output the end is shown, ` +
    `at most ${bashLines(limits)} lines and ${sizeOf(limits)}; its first 1 GiB is kept, and a notice in ` +
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
    folds: true,
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
