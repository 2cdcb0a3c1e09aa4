/** What the command line prints of calls: paths are quoted for a shell, calls by fields are commands that work when pasted. */

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { pasteableError } from '../../../src/faces/cli/quote-calls.ts';
import type { Outcome } from '../../support/cli.ts';
import { run as runIn } from '../../support/warm-cli.ts';

const cwd = mkdtempSync(join(tmpdir(), 'oriel-own-words-'));
afterAll(() => rmSync(cwd, { recursive: true }));
const env = { ...process.env, XDG_CACHE_HOME: join(cwd, '.cache') };
mkdirSync(join(cwd, 'my src/sub'), { recursive: true });
mkdirSync(join(cwd, 'p q'));
writeFileSync(join(cwd, 'my src/a.ts'), 'export function parseHeader(): number {\n  return foo(1);\n}\n');
writeFileSync(join(cwd, 'my src/sub/b.ts'), '-foo( two words\nlimit=5(\n');
writeFileSync(join(cwd, 'p q/long.txt'), `haystack ${'x'.repeat(2_000)}\n`);
writeFileSync(join(cwd, 'title.md'), '# Page through a large file\n\ntext\n\n## Over HTTP\n');
writeFileSync(join(cwd, 'one.txt'), 'x'.repeat(300_000));

const run = (...args: string[]): Outcome => runIn(args, { cwd, env });

/** As a person pastes it: bash splits the line into words. */
function paste(command: string): Outcome {
  const shell = `oriel() { printf '%s\\0' "$@"; }; ${command}`;
  const { stdout, stderr, status } = spawnSync('bash', ['-c', shell], { cwd, env, encoding: 'utf8' });
  const words = stdout.split('\0').slice(0, -1);
  return words.length === 0 ? { out: stdout, err: stderr, code: status } : run(...words);
}

type Row = readonly [typed: readonly string[], named: string];

/** One of each kind of call. */
const ROWS: readonly Row[] = [
  [['grep', '--', '-foo('], "oriel grep --literal -- '-foo('"],
  [['grep', 'foo', 'my src/*.ts'], "oriel grep --glob '*.ts' foo 'my src'"],
  [['find', '*.ts', 'my src/*'], "oriel find '*.ts' 'my src'"],
  [['ls', '--limit', '1'], 'oriel ls --limit 1 --offset 1'],
  [
    ['read', 'one.txt', '--dialect', 'zed'],
    `oriel call --dialect zed read_file '{"path":"one.txt","start_byte":65536}'`,
  ],
];

const MORE_ROWS: readonly Row[] = [
  [['grep', 'foo('], "oriel grep --literal 'foo('"],
  [['grep', 'foo(', '--glob', '*.ts', '-n'], "oriel grep --glob '*.ts' --literal 'foo('"],
  [['grep', 'foo(', '--dialect', 'pi'], "oriel grep --dialect pi --literal 'foo('"],
  [['grep', 'number {\n  return'], "oriel grep --literal --multiline $'number {\\x0a  return'"],
  [['grep', '(?<=return )foo'], 'oriel grep foo'],
  [['grep', '/FOO/i'], 'oriel grep --ignore-case FOO'],
  [['grep', String.raw`foo\|bar`, 'my src'], "oriel grep 'foo|bar' 'my src'"],
  [['grep', 'foo', '-g', '{*.ts,*.js'], "oriel grep --glob '{*.ts,*.js}' foo"],
  [['grep', 'o', '--limit', '1', 'my src'], "oriel grep --limit 1 --offset 1 o 'my src'"],
  [['find', '{*.ts,b', 'my src'], "oriel find '{*.ts,b}' 'my src'"],
  [['find', 'parse header', 'my src'], "oriel find --symbol 'parse header' 'my src'"],
  [['find', 'my src'], "oriel find 'my src/**'"],
];

test.each(ROWS)('%j names %s, which works', expectNamed);
test.each(MORE_ROWS)('%j names %s, which works', { tags: 'slow' }, expectNamed);

function expectNamed(typed: readonly string[], named: string): void {
  const { out, err } = run(...typed);
  expect(/Command: (.*?)\]?$/m.exec(err + out)?.[1] ?? out + err).toBe(named);
  expect(paste(named)).toMatchObject({ code: 0, err: '' });
}

test.each([
  ['title.md:outline', "title.md:1..5 or 'title.md:#Page through a large file'"],
  ['my src/none.ts', "'my src/none.ts' does not exist."],
])('paths in the sentences about %j are quoted', (path, said) => {
  const { out, err } = run('read', path);
  expect(out + err).toContain(said);
});

test('messages for a call by fields name fields alone', () => {
  const { err } = run('call', 'grep', '{"pattern":"foo("}');
  expect(err).toContain('search for plain text with literal=true.');
  expect(err).not.toContain('Command:');
});

test('typed text is quoted as a whole, brackets included', () => {
  const sentence = 'memory://:[5-2] does not exist. memory:// is empty. Use memory://.';
  const details = { error: { code: 'NOT_FOUND', message: sentence, next: 'memory://' } } as const;
  expect(pasteableError(sentence, details, { name: 'read', operands: ['memory://:[5-2]'], values: {} })).toBe(
    "'memory://:[5-2]' does not exist. memory:// is empty. Use memory://.",
  );
});
