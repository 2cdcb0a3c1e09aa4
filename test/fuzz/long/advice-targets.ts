/** Wrong calls in every dialect: each call that an answer names is made in the same session, differs, and works. */

import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Answer, createOriel, type DialectName, type Oriel } from '../../../src/index.ts';
import { callsOf } from '../../../src/render/notices.ts';
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
  '.gitignore': 'dist/\n*.log\n',
  'dist/out.js': 'one\n',
  'crlf.txt': 'one\r\ntwo\r\n',
  'nul.js': 'a = "\0";\none\n',
  'lib/.keep': 'one\n',
};

const BYTES: Readonly<Record<string, Uint8Array>> = {
  'bad-\xff.txt': Buffer.from('one\n'),
  'gbk.c': Buffer.from('// \xd5\xe2\xca\xc7 one\n', 'latin1'),
  'c.c': Buffer.from('Copyright \xa9 one\n', 'latin1'),
  'u16.txt': Buffer.from('Привет one 日本語テキスト\n', 'utf16le'),
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
  ...(['oriel', 'pi', 'pi@0.74', 'pi@1.6'] as const).flatMap(
    (dialect): [DialectName, string, (typed: string) => Input][] => [
      [dialect, 'ls', (path) => ({ path })],
      [dialect, 'find', (pattern) => ({ pattern })],
      [dialect, 'find', (path) => ({ pattern: '*.ts', path })],
      [dialect, 'grep', (pattern) => ({ pattern })],
      [dialect, 'grep', (path) => ({ pattern: 'one', path })],
      [dialect, 'grep', (glob) => ({ pattern: 'one', glob })],
    ],
  ),
  ['oriel', 'grep', (type) => ({ pattern: 'one', type })],
  ['oriel', 'grep', (glob) => ({ pattern: 'one', glob, path: 'src', output: 'count' })],
  ['oriel', 'grep', (pattern) => ({ pattern, multiline: true, inside: true })],
  ['oriel', 'find', (symbol) => ({ symbol })],
  ['oriel', 'find', (path) => ({ symbol: 'one', path })],
  ['oriel', 'read', (encoding) => ({ path: `gbk.c:encoding=${encoding}` })],
  ['oriel', 'read', (selector) => ({ path: `n.txt:${selector}` })],
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
  for (const [name, bytes] of Object.entries(BYTES))
    writeFileSync(Buffer.concat([Buffer.from(`${made}/`), Buffer.from(name, 'latin1')]), bytes);
  symlinkSync('../src', join(made, 'lib/linked'));
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

interface NamedCall {
  readonly call: readonly [tool: string, input: Input];
  /** Whether it finds something: not if it includes what was left out, which need not match. */
  readonly finds: boolean;
}

/** The calls that an answer names, in its details and in its text. */
function callsNamed(tool: string, input: Input, { content, details }: Answer): NamedCall[] {
  const named: NamedCall[] = [];
  const add = (next: unknown, finds: boolean): void => {
    if (typeof next === 'string') named.push({ call: callIn(next, tool), finds });
    else if (typeof next === 'object' && next !== null)
      named.push({ call: [tool, { ...input, ...next }], finds });
  };
  const text = content.map((part) => ('text' in part ? part.text : '')).join('');
  // A pattern that was mended need not match.
  add(details.error?.next, false);
  add(details.truncation?.next, false);
  const hint = (details['hint'] as { readonly next?: string } | undefined)?.next;
  const includes = /left out|not searched/.test(text);
  if (hint !== undefined) add(JSON.parse(hint), !includes);
  for (const notice of details.notices ?? [])
    for (const path of callsOf(notice)) if (text.includes(path) && !path.endsWith('#NAME')) add(path, false);
  const glob = /\buse find with pattern (\S+)(?: and path (\S+?))?(?=[;.]? |[;.]?$)/i.exec(text);
  if (glob && !text.includes("'"))
    named.push({ call: ['find', { pattern: glob[1], path: glob[2] }], finds: false });
  const [, meant] = /Did you mean ([^\s,"\\]+)\?/.exec(text) ?? [];
  if (meant !== undefined && details.error && details.error.next === undefined) add(meant, true);
  return named;
}

const MAX_FOLLOWED = 3;

/** Throws if a call that the answer names is one that was made before, fails, or finds nothing. */
export async function followAdvice(dialect: DialectName, tool: string, input: Input): Promise<void> {
  let [next, made]: [NamedCall | undefined, string[]] = [{ call: [tool, input], finds: false }, []];
  for (let depth = 0; next && depth <= MAX_FOLLOWED; depth += 1) {
    const [name, fields]: readonly [string, Input] = next.call;
    const answer = await session(dialect).tool(name).run(fields);
    const text = answer.content.map((part) => ('text' in part ? part.text : '')).join('');
    const what = `${dialect} ${made.join(' names ')} names ${JSON.stringify(next.call)}: ${text}`;
    if (depth > 0) {
      must(!answer.isError, what);
      must(!next.finds || !/^No (?:files|matches|symbols) found/.test(text), what);
    }
    made.push(JSON.stringify(next.call));
    const named = callsNamed(name, fields, answer);
    const { pattern = '', path, glob } = fields as Readonly<Record<string, string | undefined>>;
    const isThere = Object.entries(FILES).some(
      ([at, one]) => !at.startsWith('dist') && one.includes(pattern),
    );
    if (name === 'grep' && path === undefined && glob === undefined && pattern !== '' && isThere)
      must(named.length > 0 || !text.startsWith('No matches'), what);
    // What follows is in the text of a longer answer; each of it is a call of its own.
    next = named[0];
    for (const { call } of named)
      must(!made.includes(JSON.stringify(call)), `${what}: ${JSON.stringify(call)} again`);
    for (const other of named.slice(1)) {
      const reply = await session(dialect).tool(other.call[0]).run(other.call[1]);
      must(
        !reply.isError,
        `${what} names ${JSON.stringify(other.call)}: ${JSON.stringify(reply.content[0])}`,
      );
    }
  }
}

const HOME_AND_DRIVES = ['~', '~/', '$HOME/', '${HOME}', 'C:\\', '\\', ...': :/ ./ ../ / // a/ @'.split(' ')];

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
  'one()',
  'one\\ntwo',
  'o\\|t',
  '/one/i',
  'dist/**',
  'src|lib',
  '*.ts *.md',
  ...(
    'lib/linked/*.ts deep ../*.ts windows-1252 shift_jis golang c++ file:///src/app.ts bad-?.txt ' +
    'pr://7 a/src/app.ts src/app.ts:2:3 src/app.ts#L1-L2'
  ).split(' '),
  'one\\',
  'src\\app.ts',
];

export const adviceTargets: readonly FuzzTarget[] = [
  {
    name: 'advice',
    group: 'selector',
    isSlow: true,
    together: 8,
    brief: 40,
    seeds: [...Object.keys(FILES), ...Object.keys(BYTES), ...TYPED],
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
