/** What the command line says of its own calls: every option that it names exists, every command works when it is pasted. */

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { loadCommand, parseCommandLine } from '../../../src/faces/cli/commands.ts';
import { inOwnWords, FIELDS } from '../../../src/faces/cli/quote-calls.ts';
import type { Outcome } from '../../support/cli.ts';
import { run as runIn } from '../../support/warm-cli.ts';

const cwd = mkdtempSync(join(tmpdir(), 'oriel-own-words-'));
afterAll(() => rmSync(cwd, { recursive: true }));
const env = { ...process.env, XDG_CACHE_HOME: join(cwd, '.cache') };
mkdirSync(join(cwd, 'my src/sub'), { recursive: true });
writeFileSync(join(cwd, 'my src/a.ts'), 'export function parseHeader(): number {\n  return foo(1);\n}\n');
writeFileSync(join(cwd, 'my src/sub/b.ts'), '-foo( two words\nlimit=5(\n');
writeFileSync(join(cwd, 'x.zip'), Buffer.from('504b0506000000000000000000000000000000000000', 'hex'));
writeFileSync(join(cwd, 'big.txt'), Array.from({ length: 20_000 }, (_, i) => `${i + 1}\n`).join(''));
writeFileSync(join(cwd, 'one.txt'), 'x'.repeat(300_000));
writeFileSync(
  join(cwd, 'code.ts'),
  Array.from({ length: 900 }, (_, i) => `export function f${i}() {\n  return ${i};\n}\n`).join(''),
);

const run = (...args: string[]): Outcome => runIn(args, { cwd, env });

/** As a person pastes it: bash splits the line into words. */
function paste(command: string): Outcome {
  const shell = `oriel() { printf '%s\\0' "$@"; }; ${command}`;
  const { stdout, stderr, status } = spawnSync('bash', ['-c', shell], { cwd, env, encoding: 'utf8' });
  const words = stdout.split('\0').slice(0, -1);
  return words.length === 0 ? { out: stdout, err: stderr, code: status } : run(...words);
}

/** Sentences alone: the last line, or the only one. */
const saidBy = ({ out, err }: Outcome): string =>
  err === '' ? (out.trimEnd().split('\n').at(-1) ?? '') : err;

const BARE = new RegExp(
  String.raw`(?<!--|[?&])\b(?:${FIELDS.join('|')})=|\b(?:with|without|out) (?:${FIELDS.join('|')})\b`,
);

describe('commands in messages', () => {
  test.each<[typed: string[], named: string]>([
    [['grep', 'foo('], "oriel grep --literal 'foo('"],
    [['grep', 'foo(', '--glob', '*.ts', '-n'], "oriel grep --glob '*.ts' --literal 'foo('"],
    [['grep', '--', '-foo('], "oriel grep --literal -- '-foo('"],
    [['grep', 'limit=5('], "oriel grep --literal 'limit=5('"],
    [['grep', 'foo(', '--dialect', 'pi'], "oriel grep --dialect pi --literal 'foo('"],
    [['grep', 'number .\n  return'], "oriel grep --multiline $'number .\\x0a  return'"],
    [['grep', '(?<=return )foo'], "oriel grep '(?:return )foo'"],
    [['grep', '/FOO/i'], 'oriel grep --ignore-case FOO'],
    [['grep', String.raw`foo\|bar`, 'my src'], "oriel grep 'foo|bar' 'my src'"],
    [['grep', 'foo', 'my src/*.ts'], "oriel grep --glob '*.ts' foo 'my src'"],
    [['grep', 'foo', 'my*/sub'], "oriel grep --glob '{my*/sub,my*/sub/**}' foo ."],
    [['grep', 'foo', 'my src/*.ts', '-g', '!b*'], "oriel grep --glob '{*.ts,!b*}' foo 'my src'"],
    [['grep', 'foo', 'my src/*.ts', '-g', 'a*'], "oriel grep --glob 'a*' foo 'my src'"],
    [['grep', 'foo', '-g', '{*.ts,*.js'], "oriel grep --glob '{*.ts,*.js}' foo"],
    [
      ['grep', '-F', 'foo(', 'my src', '-g', '{*.ts,a b'],
      "oriel grep --literal --glob '{*.ts,a b}' 'foo(' 'my src'",
    ],
    [['find', '{*.ts,b', 'my src'], "oriel find '{*.ts,b}' 'my src'"],
    [['ls', 'my src/*.ts'], "oriel find '/*.ts' 'my src'"],
    [['ls', '*.txt'], "oriel find '*.txt'"],
    [['ls', 'my src/*'], "Use 'my src'"],
    [['find', '*.ts', 'my*'], "oriel find 'my*/**/*.ts' ."],
    [['find', '*.ts', 'my src/*'], "oriel find '*.ts' 'my src'"],
    [['find', '*.ts,*.js', 'my*'], "oriel find '*.ts,*.js' ."],
    [['find', '--symbol', 'parse header', 'my*'], "oriel find --symbol 'parse header' ."],
    [['find', 'parse header', 'my src'], "oriel find --symbol 'parse header' 'my src'"],
    [['find', 'my src'], "oriel find 'my src/**'"],
    [['find', '--symbol', '!'], 'oriel find --symbol "parse header"'],
    [['find', '--symbol', 'x', '--sort', 'time'], 'oriel find --symbol "parse header"'],
    [
      ['read', 'big.txt', '--dialect', 'pi'],
      `oriel call --dialect pi read '{"path":"big.txt","offset":2001}'`,
    ],
    [
      ['read', 'code.ts', '--dialect', 'zed'],
      `oriel call --dialect zed read_file '{"path":"code.ts","start_byte":0}'`,
    ],
    [['ls', 'my src/a.ts', '--dialect', 'pi'], "'my src'"],
  ])('%j names %s, which has matches', (typed, named) => {
    const answer = run(...typed);
    const said = answer.err + answer.out;
    expect(said).toContain(named);
    if (!named.startsWith('oriel')) return;
    expect(paste(named)).toMatchObject({ code: 0, err: '' });
  });

  test('pages of other dialects continue where the header says', () => {
    const header = run('read', 'one.txt', '--dialect', 'zed').out.split('\n', 1)[0] ?? '';
    expect(header).toBe(
      `[bytes 0-65536 of 300000, inside line 1 (line is 300000 bytes); continue with oriel call --dialect zed read_file '{"path":"one.txt","start_byte":65536}']`,
    );
    const named = /continue with (.*)\]$/.exec(header)?.[1] ?? '';
    expect(paste(named).out).toMatch(/^\[bytes 65536-131072 of 300000/);
  });
});

describe('options in messages', () => {
  test.each<[typed: string[], options: string[]]>([
    [['grep', 'nothing at all'], ['--inside']],
    [
      ['grep', 'foo', '--sort', 'time', '--inside'],
      ['--sort time', '--inside'],
    ],
    [
      ['grep', 'foo', '--type', 'tss'],
      ['--type ts', "--glob '*.tss'"],
    ],
    [
      ['grep', '1', '--limit', '2'],
      ['--offset 2', '--limit 4'],
    ],
    [['grep', '1', '--limit', '0'], ['--limit 100']],
    [['grep', '1', '--context', '999'], ['--context 200']],
    [
      ['grep', '1', '--files', '--limit', '1'],
      ['--offset 1', '--limit 2'],
    ],
    [['grep', '1', '--offset', '99999'], ['--offset 0']],
    [['grep', '1', '--dialect', 'pi', '--limit', '1'], ['--limit 2']],
    [
      ['find', '*', '--limit', '1'],
      ['--offset 1', '--limit 2'],
    ],
    [
      ['ls', '--limit', '1'],
      ['--offset 1', '--limit 2'],
    ],
    [['ls', '--offset', '99'], ['--offset 0']],
  ])('%j names %j, which are accepted', async (typed, options) => {
    const said = saidBy(run(...typed));
    expect(said).not.toMatch(BARE);
    const command = await loadCommand(typed[0] as string);
    for (const option of options) {
      expect(said).toContain(option);
      const [flag = '', value] = option.replaceAll("'", '').split(' ');
      const { values } = parseCommandLine(['x', flag, ...(value === undefined ? [] : [value])], command);
      expect(values).toEqual({ [flag.slice(2)]: value ?? true });
    }
  });

  test('commands for the next page', () => {
    const pages = [0, 1, 2].map((offset) => run('find', '*', '--limit', '1', '--offset', String(offset)).out);
    expect(pages[0]).toContain('Use --offset 1 to continue');
    expect(new Set(pages.map((page) => page.split('\n', 1)[0])).size).toBe(3);
  });
});

describe('printed commands lead through all pages', () => {
  mkdirSync(join(cwd, 'type=click'));
  mkdirSync(join(cwd, 'p q'));
  mkdirSync(join(cwd, 'limit=5x'));
  writeFileSync(join(cwd, 'type=click/part.csv'), `needle ${'x'.repeat(2_000)}\n`);
  writeFileSync(join(cwd, 'p q/long.txt'), `haystack ${'x'.repeat(2_000)}\n`);
  writeFileSync(join(cwd, 'title.md'), '# Page through a large file\n\ntext\n\n## Over HTTP\n');
  writeFileSync(join(cwd, 'g.h'), 'foo( in g\n');

  test.each<[typed: string[], code: number, printed: string]>([
    [['grep', 'foo(', '.'], 0, 'g.h:1: foo( in g'],
    [['grep', 'foo(', 'g.h'], 0, 'g.h:1: foo( in g'],
    [['grep', 'foo', '*.nothing'], 1, 'No matches found'],
    [['call', 'read', 'g.h'], 0, '1|foo( in g'],
    [['g.h'], 0, '1|foo( in g'],
  ])('%j', (typed, code, printed) => {
    const named = /(?:Use|use|literal:) (oriel .*)$/m.exec(saidBy(run(...typed)))?.[1] ?? '';
    const pasted = paste(named);
    expect({ named, code: pasted.code }).toEqual({ named, code });
    expect(pasted.out).toContain(printed);
    // Not from the directory above.
    expect(pasted.out).not.toContain('../');
  });

  test.each([
    [
      'a heading of several words',
      ['read', 'title.md:outline'],
      "e.g. title.md:1..5 or 'title.md:#Page through a large file'",
    ],
    [
      'a long line of a file in quotes',
      ['grep', 'haystack', 'p q'],
      "Use oriel read 'p q/long.txt:1..1' to see",
    ],
    [
      'a directory like a field',
      ['grep', 'needle', 'type=click'],
      'Use oriel read type=click/part.csv:1..1 to see',
    ],
    ['a name like a field', ['ls', 'limit=5y'], 'Did you mean limit=5x?'],
  ])('%s', (_, typed, said) => {
    const { out, err } = run(...typed);
    expect(out + err).toContain(said);
    const call = /(?:Use oriel read|or) ('.*?'|\S+)(?: to see|\])/.exec(out)?.[1];
    if (call !== undefined) expect(paste(`oriel read ${call}`)).toMatchObject({ code: 0, err: '' });
  });
});

test('messages for a call by fields name fields', () => {
  expect(run('call', 'grep', '{"pattern":"1","limit":2}').out).toContain(
    'Use offset=2 to continue, limit=4 for more',
  );
  expect(run('call', 'grep', '{"pattern":"foo("}').err).toContain('search for plain text with literal=true.');
});

test('the input of a user is not reworded', () => {
  const { err } = run('grep', 'Use limit=5 without inside(');
  expect(err).toMatch(/^oriel: Use limit=5 without inside\( is not a valid regular expression: /);
});

test.each([
  [['context/a.ts'], 'Use context/a.ts to read it.'],
  [['data/type=clik'], 'data/type=clik does not exist. Did you mean data/type=click?'],
  [['my limit=3.txt'], '"my limit=3.txt" is empty.'],
])('names of files are not reworded: %j', (operands, sentence) => {
  expect(inOwnWords(sentence, { name: 'ls', values: {}, operands }, [])).toBe(sentence);
});

test.each(['=', ' ', '/'])('a sentence beside the pattern %j is reworded', (pattern) => {
  expect(
    inOwnWords('[Use offset=2 to continue]', { name: 'grep', values: {}, operands: [pattern] }, []),
  ).toBe('[Use --offset 2 to continue]');
});

/** Sentences of tools in their source, as far as a line of it goes. */
const sentences = [
  'src/call',
  'src/search',
  'src/target',
  'src/walk',
  'src/files',
  'src/render/list-notices.ts',
  'src/dialects/oriel.ts',
].flatMap((at) => {
  const files = at.endsWith('.ts')
    ? [at]
    : (readdirSync(at, { recursive: true }) as string[])
        .filter((name) => name.endsWith('.ts'))
        .map((name) => join(at, name));
  return files.flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => !/^\s*(?:\*|\/)/.test(line))
      .flatMap((line) => line.match(/'(?:[^'\\]|\\.)* (?:[^'\\]|\\.)*'|`[^`]* [^`]*`/g) ?? [])
      .filter((text) => BARE.test(text))
      .map((text) => ({ file, text: text.slice(1, -1) })),
  );
});

test('every sentence in the source that names a field is reworded', () => {
  expect(sentences.length).toBeGreaterThan(8);
  const typed = { name: 'grep', values: {}, operands: ['x'] };
  const calls = [{ pattern: 'x', literal: true }];
  const left = sentences.filter(({ text }) =>
    BARE.test(inOwnWords(text.replaceAll(/\$\{[^}]*\}/g, '7'), typed, calls)),
  );
  expect(left).toEqual([]);
});
