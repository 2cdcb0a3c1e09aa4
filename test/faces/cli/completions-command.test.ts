/**
 * @module-tag slow
 */

import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { allCommands } from '../../../src/faces/cli/commands.ts';
import { globalOptions } from '../../../src/faces/cli/options.ts';
import { built } from '../../support/built.ts';
import { run } from '../../support/warm-cli.ts';
import { has } from '../../support/has.ts';
import { type Shell, shellIn } from '../../support/shells.ts';
import { databaseBytes } from '../../support/sqlite.ts';
import { workspace } from '../../support/workspace.ts';
import { zip } from '../../support/zip.ts';

const forBash = run(['completions', 'bash']).out;

const PARTS = {
  'a.ts': 'export class App {\n  start() {\n    go();\n  }\n}\nfunction other() {\n  go();\n}\n',
};

/** A workspace with an archive, a database and code. */
async function withParts(): Promise<string> {
  const { W, write } = workspace();
  write('a.ts', PARTS['a.ts']);
  write(
    'a.zip',
    zip([
      { name: 'dir/one two.txt', content: '1' },
      { name: 'dir/a.ts', content: PARTS['a.ts'] },
    ]),
  );
  write('app.db', await databaseBytes('create table users(id)', 'create table orders(id)'));
  return W;
}

test('symbols, members and tables complete words after a colon', { tags: 'slow' }, async () => {
  const cwd = await withParts();
  const words = (word: string): unknown => {
    const { out, err } = run(['completions', 'bash', 'read', word], { cwd });
    return err === '' ? out.split('\n').slice(1).filter(Boolean) : err;
  };
  expect(words('a.ts:#')).toEqual(['a.ts:#App', 'a.ts:#App.start', 'a.ts:#other']);
  expect(words('a.ts:#o')).toEqual(['a.ts:#other']);
  expect(words('a.zip:')).toEqual(['a.zip:dir/']);
  expect(words('a.zip:dir/')).toEqual(['a.zip:dir/a.ts', 'a.zip:dir/one two.txt']);
  expect(words('a.zip:dir/a.ts:#App.')).toEqual(['a.zip:dir/a.ts:#App.start']);
  expect(words('app.db:u')).toEqual(['app.db:users']);
  for (const none of ['a.ts', 'a.ts:', 'a.ts:5', 'nothing:', 'nothing.ts:#', 'app.db:users:1', '.:']) {
    expect(words(none), none).toEqual([]);
  }
});

test('what is offered depends on the words before', () => {
  const offered = (line: string): string[] =>
    run(['completions', 'bash', ...line.split(' ')])
      .out.split('\n')
      .slice(0, -1)
      .map((word) => word.replace(/\t.*/, ''));
  const commands = ['words', 'read', 'report'];
  for (const line of ['re', '--json re', '--dialect pi re', '--dialect=pi re'])
    expect(offered(line)).toEqual(commands);
  for (const line of ['--di', 'read --di', '--json read --di'])
    expect(offered(line), line).toEqual(['words', '--display', '--dialect']);
  expect(offered('--timeout 3 ba')).toEqual(['words', 'bash']);
  expect(offered('bash --tim')).toEqual(['words', '--timeout']);
  expect(offered('help gr')).toEqual(['words', 'grep']);
  expect(offered('tools r')).toEqual(['words', 'read', 'read_file']);
  expect(offered('completions ')).toEqual(['words', 'bash', 'zsh', 'fish']);
  expect(offered('read --display ')).toEqual(['words', 'numbers', 'hashline', 'hashline@18', 'plain']);
  for (const line of ['man a', 'grep bash --tim', 'read --limits '])
    expect(offered(line), line).toEqual(['words']);
  for (const line of ['bash ls --timeo', 'bash ls --display ', 'grep -il x a', 'read --workspaces a'])
    expect(offered(line), line).toEqual(['files']);
  for (const line of ['mcp ', 'mcp --root d']) expect(offered(line), line).toEqual(['directories']);
  expect(offered('bash printen')).toEqual(['commands']);
});

test('of many members the first 200 are offered', () => {
  const { W, write } = workspace();
  write('a.zip', zip(Array.from({ length: 300 }, (_, i) => ({ name: `${1000 + i}.txt`, content: '' }))));
  const { out } = run(['completions', 'fish', 'read', 'a.zip:1'], { cwd: W });
  expect(out.split('\n').slice(1, -1)).toEqual(
    Array.from({ length: 200 }, (_, i) => `a.zip:${1000 + i}.txt`),
  );
});

// It splits words there.
test('bash completes the part after the colon', { tags: 'slow' }, async () => {
  const cwd = await withParts();
  const after = (line: string): string[] => {
    const words = line
      .replaceAll(':', ' : ')
      .split(/(?<!\\) /)
      .filter(Boolean);
    const script = `oriel() { '${process.execPath}' '${built('faces/cli/main.js')}' "$@"; }
${forBash}
COMP_LINE='${line}'; COMP_POINT=${line.length}; COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')})
COMP_CWORD=${words.length - 1}; _oriel; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout, stderr } = spawnSync('bash', ['-c', script], { cwd, encoding: 'utf8' });
    expect(stderr).toBe('');
    return stdout.split('\n').filter(Boolean);
  };
  expect(after('oriel read a.ts:#App')).toEqual(['#App', '#App.start']);
  expect(after('oriel read --json a.zip:dir/o')).toEqual(['dir/one\\ two.txt']);
  expect(after('oriel read app.db:')).toEqual(['orders', 'users']);
  expect(after('oriel read app.db')).toEqual([]);
  expect(after('oriel read a\\ a.zip:')).toEqual([]);
});

const shells = ['bash', 'zsh', 'fish'] as const;
const here = shells.filter((shell) => shell === 'bash' || has(shell));

/** What each shell offers for a command line. Files are offered by bash itself. */
const OFFERED: readonly (readonly [line: string, offered: readonly string[], by?: readonly Shell[]])[] = [
  ['oriel re', ['read', 'report']],
  ['oriel --dialect=pi re', ['read', 'report']],
  ['oriel read --display ', ['hashline', 'hashline@18', 'numbers', 'plain']],
  ['oriel read --display=n', ['numbers']],
  ['oriel mcp --root d', ['dir with']],
  ['oriel man a', []],
  ['oriel bash printen', ['printenv']],
  ['oriel read a', ['a.ts', 'a.zip', 'app.db'], ['zsh', 'fish']],
  ['oriel read code/', ['code/b.ts'], ['fish']],
  ['oriel read a.ts:#', ['a.ts:#App', 'a.ts:#App.start', 'a.ts:#other'], ['zsh', 'fish']],
  ['oriel read a.zip:', ['a.zip:dir'], ['zsh', 'fish']],
  ['oriel read a.zip:dir/o', ['a.zip:dir/one two.txt'], ['zsh', 'fish']],
  ['oriel read a.ts:\\', [], ['fish']],
  ["oriel read 'a.ts:#o", ['a.ts:#other'], ['fish']],
];

test.each(here)('completions in a real %s', { tags: 'slow' }, async (shell) => {
  const cwd = await withParts();
  const offered = shellIn(cwd);
  for (const directory of ['code', 'dir with']) mkdirSync(join(cwd, directory));
  writeFileSync(join(cwd, 'code/b.ts'), '');
  const lines = OFFERED.filter(([, , by = shells]) => by.includes(shell));
  const answers = offered(
    shell,
    lines.map(([line]) => line),
  );
  expect(Object.fromEntries(lines.map(([line], i) => [line, answers[i]]))).toEqual(Object.fromEntries(lines));
});

test('the fish script has only syntax of fish 3.1', { tags: 'slow' }, () => {
  const { out } = run(['completions', 'fish']);
  expect(out.split('\n').filter((line) => line.includes('$('))).toEqual([]);
});

test.each(here)('%s accepts its script', { tags: 'slow' }, (shell) => {
  const { W, write } = workspace();
  write('script', run(['completions', shell]).out);
  const { status, stderr } = spawnSync(shell, ['-n', 'script'], { cwd: W, encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
});

test('every command and every option is offered', async () => {
  const offered = (...words: string[]): string[] =>
    run(['completions', 'bash', ...words])
      .out.split('\n')
      .slice(1, -1)
      .map((line) => line.replace(/\t.*/, ''));
  const commands = await allCommands();
  expect(offered('')).toEqual([...commands.map(({ name }) => name), 'help']);
  for (const { name, options } of commands)
    expect(offered(name, '--'), name).toEqual([...options, ...globalOptions].map((one) => `--${one.name}`));
});

test.each([
  [[], 'No shell was named. Use oriel completions bash, or zsh, or fish.'],
  [['tcsh'], 'There are no completions for tcsh. Use oriel completions bash, or zsh, or fish.'],
])('completions %j is one line on stderr', (args, message) => {
  expect(run(['completions', ...args])).toEqual({ out: '', err: `oriel: ${message}\n`, code: 2 });
});

test('the packaged manual page has every command and option', async () => {
  const { out } = run(['man']);
  expect(out).toMatch(/^\.TH ORIEL 1 "" "oriel \d+\.\d+\.\d+" "User Commands"\n/);
  for (const { name, options } of await allCommands()) {
    expect(out).toContain(`.SS oriel ${name}`);
    for (const option of [...options, ...globalOptions]) {
      expect(out).toContain(`\\-\\-${option.name.replaceAll('-', '\\-')}`);
    }
  }
  const { man } = JSON.parse(readFileSync('package.json', 'utf8')) as { man: [string] };
  expect(readFileSync(built(man[0].replace('./dist/', '')), 'utf8')).toBe(out);
});

test('help is one screen, and names --version', () => {
  const { out, code } = run(['help']);
  expect(code).toBe(0);
  expect(out).toContain('--version');
  for (const about of [[], ['mcp'], ['read'], ['grep'], ['serve']]) {
    const shown = run(['help', ...about]).out.split('\n');
    expect(shown.length, about.join('')).toBeLessThanOrEqual(45);
    for (const line of shown) expect(line.length).toBeLessThanOrEqual(80);
  }
  const firstOf = (about: string): string[] =>
    (run(['help', about]).out.match(/^ {2}--[\w-]+/gm) ?? []).map((option) => option.trim());
  expect(firstOf('read').slice(0, 4)).toEqual(['--json', '--display', '--root', '--limits']);
  expect(firstOf('mcp')[0]).toBe('--root');
  expect(out.match(/^ {2}-/gm)?.length).toBeLessThanOrEqual(12);
  expect(run(['help', '--all']).out).toContain('--mcp-approve');
  expect(run(['help', 'help'])).toEqual({ out, err: '', code });
});
