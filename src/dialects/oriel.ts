/** The default dialect: one path string names anything, every cut names the next call. */

import { baseLimits } from '../limits.ts';
import { wording } from '../render/notices.ts';
import { readAnswer } from '../render/read-answer.ts';
import { runAnswer } from '../render/run-answer.ts';
import { binarySize } from '../render/units.ts';
import type { Limits } from '../types/limits.ts';
import type { ReadRequest, RunRequest } from '../types/request.ts';
import { cutPolicy } from '../window/fit.ts';
import { type Dialect, reads, runs, tool } from './dialect.ts';
import { find, grep, ls } from './oriel-lists.ts';

const read = tool<{ path: string }, ReadRequest>({
  name: 'read',
  title: 'Read',
  effects: reads,
  about: (limits) =>
    `Reads what one path string names: a text file, a directory, an archive, a SQLite database, a notebook, an image. ` +
    `Answers hold at most ${limits.lines} lines and ${binarySize(limits.bytes)}; a notice in brackets at the end gives ` +
    `the exact path for the next call.

Append a selector to the path:
:50 from line 50 · :50-100 lines 50 to 100 · :50+20 twenty lines · :5-16,40-80 several ranges · :50..100 exactly these, no context
:-20 the last 20 lines · :@65536+64K 64 KiB from byte 65536, whole lines, at most ${binarySize(limits.windowMax)}
:raw the text as stored, without line numbers, also :50-100:raw · :conflicts unresolved merge conflicts
:outline symbols with their line ranges · :#Server.start the lines of one symbol
Containers: app.zip lists · app.zip:src lists a directory in it · app.zip:src/x.ts:5-9 lines of a member
app.db tables · app.db:users schema and rows · app.db:users:42 row by key · app.db:users?where=age>30&order=age:desc&limit=20 page · app.db?q=SELECT ... (read-only)
book.ipynb cells as text · book.ipynb:outputs with outputs · photo.jpg:meta facts alone · artifact://1 a kept command output
A code file of 100 lines or more is answered with its structure, bodies left out as ...: the last line gives their ranges.
A file whose name ends like a selector is read as that file. Lines are 1-indexed and shown as N|text. ` +
    'Prefer one large window to many small ones.',
  input: (zod) =>
    zod.strictObject({
      path: zod
        .string()
        .describe(
          'Path with an optional selector: src/app.ts, src/app.ts:50-100, src, logs.tar.gz:app/err.log',
        ),
    }),
  request: ({ path }) => ({ do: 'read', target: path, grammar: 'selectors' }),
  policy: () => cutPolicy,
  answer: (result) => readAnswer(result, wording),
});

const bash = tool<{ command: string; timeout?: number | undefined; cwd?: string | undefined }, RunRequest>({
  name: 'bash',
  title: 'Bash',
  effects: runs,
  about: (limits) =>
    `Runs a command in bash and answers its output, stdout and stderr as they came. Of a long output the end is shown, ` +
    `at most ${bashLines(limits)} lines and ${binarySize(limits.bytes)}; all of it is kept, and a notice in brackets ` +
    `gives the exact path to read it by (artifact://1:-2000@65536). Read or grep that instead of running the command again.

stdin is empty, and nothing can be asked: pass -y or -m. Processes that still run when the shell ends are ended with it. ` +
    'cwd must lie inside the allowed directories; the command itself is not confined.',
  input: (zod) =>
    zod.strictObject({
      command: zod.string().describe('What bash -c runs'),
      timeout: zod
        .number()
        .optional()
        .describe(
          'Seconds until the command is ended, fractions allowed; 120 unless the host says otherwise',
        ),
      cwd: zod.string().optional().describe('Directory to run in; the working directory when absent'),
    }),
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
