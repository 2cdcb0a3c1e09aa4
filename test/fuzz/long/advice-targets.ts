/** Wrong calls in every dialect: each call that an answer names is made in the same session, differs, and works. */

import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createOriel, type DialectName, type Oriel } from '../../../src/index.ts';
import { type FuzzTarget, must } from './fuzz-target.ts';
import type { Random } from './random.ts';

type Input = Readonly<Record<string, unknown>>;

const FILES: Readonly<Record<string, string>> = {
  'n.txt': 'one\ntwo\nthree\n',
  'src/app.ts': 'export function one(): number {\n  return 1;\n}\n',
  'src/deep/app.ts': 'export const one = 1;\n',
  'app/[slug]/page.tsx': 'one\n',
  'a b.md': '# one\n',
  'new\nline.txt': 'one\n',
  'v\u00a013.txt': 'one\n',
  '~x/y.md': 'one\n',
};

const readers: readonly [DialectName, string][] = [
  ['oriel', 'read'],
  ['pi', 'read'],
  ['pi@0.74', 'read'],
  ['pi@1.6', 'read'],
  ['zed', 'read_file'],
  ['zdx', 'read'],
  ['zdx@0.10', 'read'],
  ['coder', 'read_file'],
];

/** The forms of a call with `typed` in one of its fields. */
const forms: readonly [DialectName, string, (typed: string) => Input][] = [
  ...readers.map(([dialect, tool]): [DialectName, string, (typed: string) => Input] => [
    dialect,
    tool,
    (path) => ({ path }),
  ]),
  ...(['oriel', 'pi'] as const).flatMap((dialect): [DialectName, string, (typed: string) => Input][] => [
    [dialect, 'ls', (path) => ({ path })],
    [dialect, 'find', (pattern) => ({ pattern })],
    [dialect, 'find', (path) => ({ pattern: '*.ts', path })],
    [dialect, 'grep', (pattern) => ({ pattern })],
    [dialect, 'grep', (path) => ({ pattern: 'one', path })],
    [dialect, 'grep', (glob) => ({ pattern: 'one', glob })],
  ]),
  ['oriel', 'grep', (type) => ({ pattern: 'one', type })],
];

/** A call is not ended on a busy machine, where the first may take more than half a minute. */
const CALL_MS = 1_800_000;

let tree: string | undefined;
const sessions = new Map<DialectName, Oriel>();

function treeOf(): string {
  if (tree !== undefined) return tree;
  const made = realpathSync(mkdtempSync(join(tmpdir(), 'oriel-advice-')));
  process.once('exit', () => rmSync(made, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(made, path)), { recursive: true });
    writeFileSync(join(made, path), text);
  }
  return (tree = made);
}

function session(dialect: DialectName): Oriel {
  const known = sessions.get(dialect);
  if (known) return known;
  const cwd = treeOf();
  const made = createOriel({ cwd, roots: [cwd], dialect, cache: false, timeoutMs: CALL_MS });
  sessions.set(dialect, made);
  return made;
}

/** The call that `next` names: the whole input as JSON, or a path to read. */
function callIn(next: string, tool: string): readonly [string, Input] {
  if (next.startsWith('{"')) return [tool, JSON.parse(next) as Input];
  return [tool === 'read_file' ? tool : 'read', { path: next }];
}

/** Throws if a call that the answer names is the same one, or fails. */
export async function followAdvice(dialect: DialectName, tool: string, input: Input): Promise<void> {
  const { details } = await session(dialect).tool(tool).run(input);
  const { next } = details['error'] ?? {};
  if (next === undefined) return;
  const follow = callIn(next, tool);
  const what = `${dialect} ${tool} ${JSON.stringify(input)} names ${JSON.stringify(follow)}`;
  must(JSON.stringify(follow) !== JSON.stringify([tool, input]), `${what}: the same call`);
  const answer = await session(dialect).tool(follow[0]).run(follow[1]);
  must(!answer.isError, `${what}: ${JSON.stringify(answer.content[0])}`);
}

const HOME_AND_DRIVES = [
  '~',
  '~/',
  '$HOME/',
  '${HOME}',
  'C:\\',
  '\\',
  ':',
  ':/',
  './',
  '../',
  '/',
  '//',
  'a/',
  '@',
];

const SIGNS = '* ** { } [ ] ( ) | # ? :raw :0 :9-1 :- .ts'.split(' ');

const TYPED = [
  ...'src . sr src/ap.ts app.ts:1-2 n.txt:5..9 n.txt:encoding=latin src/app.ts:#one javascript'.split(' '),
  '',
  '*.ts',
  '**/*.{ts',
  '[a',
  'lib/*.{ts',
  '.*\\.ts$',
  'one(',
  'one\\',
  'src\\app.ts',
];

export const adviceTargets: readonly FuzzTarget[] = [
  {
    name: 'advice',
    group: 'selector',
    isSlow: true,
    brief: 40,
    seeds: [...Object.keys(FILES), ...TYPED],
    words: [...HOME_AND_DRIVES, ...SIGNS],
    most: 40,
    async run(bytes: Buffer, random: Random): Promise<void> {
      const typed = bytes.toString('utf8').toWellFormed();
      const [dialect, tool, input] = forms[random.below(forms.length)] as (typeof forms)[number];
      const path = dialect === 'coder' && random.below(3) > 0 ? join(treeOf(), '.') + `/${typed}` : typed;
      await followAdvice(dialect, tool, input(path));
    },
  },
];
