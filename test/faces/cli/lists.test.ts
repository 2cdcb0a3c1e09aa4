import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { run } from '../../support/warm-cli.ts';
import { workspace } from '../../support/workspace.ts';

test('exit codes of grep: 0 found, 1 nothing, 2 failed', () => {
  const { W, write } = workspace();
  write('src/a.ts', 'one\nTwo\nthree two\n');
  write('b.md', 'two\n');
  expect(run(['grep', 'two'], { cwd: W })).toEqual({
    out: 'b.md:1: two\nsrc/a.ts:3: three two\n',
    err: '',
    code: 0,
  });
  expect(run(['grep', '-i', 'two', 'src', '-g', '*.ts', '-C', '1', '--limit', '1'], { cwd: W }).out).toBe(
    'src/a.ts-1- one\nsrc/a.ts:2: Two\nsrc/a.ts-3- three two\n' +
      '[1 match limit reached. Use offset=1 to continue, limit=2 for more, or refine pattern. ' +
      "Command: oriel grep --ignore-case --glob '*.ts' --context 1 --limit 1 --offset 1 two src]\n",
  );
  expect(run(['grep', 'two', '--offset', '1'], { cwd: W }).out).toBe('src/a.ts:3: three two\n');
  expect(run(['grep', '-F', 't.o'], { cwd: W })).toEqual({ out: 'No matches found\n', err: '', code: 1 });
  expect(run(['grep', '-F', 't.o', '--json'], { cwd: W }).code).toBe(1);
  expect(run(['grep', '['], { cwd: W })).toEqual({
    out: '',
    err: "oriel: [ is not a valid regular expression: unclosed character class at character 1. Escape special characters with a backslash, or search for plain text with literal=true. Command: oriel grep --literal '['\n",
    code: 2,
  });
  expect(run(['grep', '--', '-x'], { cwd: W }).code).toBe(1);
});

test('grep searches the standard input, and then its kept copy', () => {
  const { W, write } = workspace();
  write('b.md', 'seven\n');
  const env = { ...process.env, XDG_STATE_HOME: join(W, 'state') };
  const input = 'one\nseven\nseven of two\n';
  const { out, code } = run(['grep', 'seven', '-', '--limit', '1'], { cwd: W, env, input });
  const kept = /^artifact:\/\/\d+/.exec(out)?.[0] ?? '';
  expect(out).toBe(
    `${kept}:2: seven\n[1 match limit reached. Use offset=1 to continue, limit=2 for more, or refine pattern. Command: oriel grep --limit 1 --offset 1 seven ${kept}]\n`,
  );
  expect(code).toBe(0);
  expect(run(['grep', 'seven', kept, '--offset', '1'], { cwd: W, env }).out).toBe(
    `${kept}:3: seven of two\n`,
  );
  expect(run(['grep', 'nine', '-'], { cwd: W, env, input }).code).toBe(1);
  const both = run(['grep', 'seven', '-', 'b.md'], { cwd: W, env, input }).out;
  expect(both).toMatch(/^==> - <==\nartifact:.*\nartifact:.*\n==> b\.md <==\nb\.md:1: seven\n$/);
});

test('grep shows the anchors of lines', () => {
  const { W, write } = workspace();
  write('a.ts', 'one\ntwo\n');
  expect(run(['grep', 'two', 'a.ts', '--display', 'hashline'], { cwd: W }).out).toMatch(
    /^¶a\.ts#[0-9A-F]{4}\n2:two\n$/,
  );
});

test('ls past the end exits 1, an empty directory 0', () => {
  const { W, write } = workspace();
  write('a', '');
  expect(run(['ls', '--offset', '5'], { cwd: W }).code).toBe(1);
  mkdirSync(join(W, 'empty'));
  expect(run(['ls', 'empty'], { cwd: W }).code).toBe(0);
});

test('find and ls', () => {
  const { W, write } = workspace();
  write('src/a.ts', '');
  write('b.md', '');
  expect(run(['find', '*.ts'], { cwd: W })).toEqual({ out: 'src/a.ts\n', err: '', code: 0 });
  expect(run(['find', '*.rs'], { cwd: W })).toEqual({
    out: 'No files found matching pattern\n',
    err: '',
    code: 1,
  });
  expect(run(['find', 'a.*', 'src', '--root', W, '--cwd', W]).out).toBe('src/a.ts\n');
  expect(run(['ls'], { cwd: W })).toEqual({ out: 'b.md\nsrc/\n', err: '', code: 0 });
  expect(run(['ls', '--limit', '1', '--cwd', W]).out).toEqual(
    expect.stringContaining('Command: oriel ls --limit 1 --cwd '),
  );
  expect(run(['ls', 'b.md'], { cwd: W })).toEqual({
    out: '',
    err: 'oriel: b.md is a file, not a directory. Use . for its directory, or read the file.\n',
    code: 2,
  });
});

test.each([
  [['grep'], 'No pattern was given. Use oriel grep PATTERN [PATH…].'],
  [['find', 'a', 'b', 'c'], 'There is one operand too many: c. Use oriel find GLOB [DIR].'],
  [['find'], "No glob was given. Use oriel find '**/*.ts' [DIR]."],
  [['find', ''], "The glob is empty. Use pattern **. Command: oriel find '**'"],
  [
    ['find', '['],
    String.raw`[ is not a valid glob: [ at character 1 is not closed. Use pattern \[. Command: oriel find '\['`,
  ],
  [
    ['find', '{a,b', 'src'],
    "{a,b is not a valid glob: { at character 1 is not closed. Use pattern {a,b}. Command: oriel find '{a,b}' src",
  ],
  [
    ['grep', 'x', '--glob', '[a'],
    String.raw`[a is not a valid glob: [ at character 1 is not closed. Use glob \[a. Command: oriel grep --glob '\[a' x`,
  ],
  [
    ['find', '--symbol', 'x', 'a', 'b'],
    'There is one operand too many: b. Use oriel find --symbol WORDS [DIR].',
  ],
  [['ls', 'a', 'b'], 'There is one operand too many: b. Use oriel ls [DIR].'],
  [['grep', 'a', '--limit', 'many'], '--limit takes a whole number, not many. Use --limit 100.'],
  [
    ['grep', 'a', '-C', '300'],
    'context must be a whole number of at least 0 and at most 200, not 300. Use context=200.',
  ],
  [
    ['read', '--limit', '5', 'x'],
    'oriel read has no option --limit. oriel read shows lines N to M with FILE:N..M, the first 50 with FILE:1..50, the last with FILE:-50.',
  ],
  [['ls', '--cwd', '/nope'], '--cwd takes a directory that exists, not /nope.'],
  [['read', 'x', '--cwd', '/etc/passwd'], '--cwd takes a directory that exists, not /etc/passwd.'],
  [['ls', '--limit', '0'], 'limit must be a whole number of at least 1, not 0. Use limit=100.'],
])('%j is one line on stderr and exit 2', (args, message) => {
  expect(run(args)).toEqual({ out: '', err: `oriel: ${message}\n`, code: 2 });
});
