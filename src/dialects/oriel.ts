/** The default dialect: one path string selects anything, and every cut answer names the next call. */

import { baseLimits } from '../limits.ts';
import { errorAnswer, withCall } from '../render/answer.ts';
import { wording } from '../render/notices.ts';
import { readAnswer } from '../render/read-answer.ts';
import { runAnswer } from '../render/run-answer.ts';
import { binarySize } from '../render/units.ts';
import { writeSize } from '../selector/selection.ts';
import type { Limits } from '../types/limits.ts';
import type { ReadRequest, RunRequest } from '../types/request.ts';
import type { Settings } from '../types/settings.ts';
import { cutPolicy } from '../window/fit.ts';
import { type Dialect, type Offered, readsWeb, runs, tool } from './dialect.ts';
import { linesToSelector } from './line-fields.ts';
import { withFindCall, withWholeCall } from './list-failures.ts';
import { bashFields } from './other-fields.ts';
import { grep } from './oriel-grep.ts';
import { find, ls } from './oriel-lists.ts';

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
  request: ({ path }) => ({ do: 'read', target: path, grammar: 'selectors' }),
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
  { schemes, mcpServers, agentOutputs, workspaces }: Offered['settings'],
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
  adapt: bashFields,
  request: ({ command, timeout, cwd }) => ({
    do: 'run',
    command,
    ...(timeout !== undefined && { timeout }),
    ...(cwd !== undefined && { cwd }),
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
