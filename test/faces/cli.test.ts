import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cli, run as runProcess } from '../support/cli.ts';
import { has } from '../support/has.ts';
import { run } from '../support/warm-cli.ts';
import { workspace } from '../support/workspace.ts';

test('read prints the answer and exits with 0 to 2', { tags: 'slow' }, () => {
  const { W, write } = workspace();
  write('f', 'a\nb\n');
  expect(runProcess(['read', 'f'], { cwd: W })).toEqual({ out: '1|a\n2|b\n', err: '', code: 0 });
  expect(runProcess(['read', 'f:9', '--cwd', W])).toEqual({
    out: '[Line 9 is beyond the end of f (2 lines). Use f:2 for the end or f:1 for the start]\n',
    err: '',
    code: 1,
  });
  expect(runProcess(['read', 'none'], { cwd: W })).toEqual({
    out: '',
    err: 'oriel: none does not exist. Use . to list the working directory.\n',
    code: 2,
  });
});

test('several paths are separated and exit with the worst code', { tags: 'slow' }, () => {
  const { W, write } = workspace();
  write('f', 'a\n');
  const { out, code } = run(['read', 'f', 'none', 'f:1..1'], { cwd: W });
  expect(out).toBe('==> f <==\n1|a\n==> none <==\n==> f:1..1 <==\n1|a\n');
  expect(code).toBe(2);
});

test('--json prints the library’s answer, one object per line', { tags: 'slow' }, async () => {
  const { W, write, read } = workspace();
  write('f', 'a\nb\n');
  const { out } = run(['read', 'f:2..2', 'none', '--json', '--root', W, '--cwd', W]);
  const [first, second] = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
  expect(first).toEqual(await read('f:2..2'));
  expect(second).toEqual(await read('none'));
});

test('call runs tools with JSON arguments, tools shows their schemas', () => {
  const { W, write } = workspace();
  write('f', 'a\n');
  expect(run(['call', 'read', '{"path":"f"}', '--cwd', W]).out).toBe('1|a\n');
  expect(run(['call', 'read', '{"path":5}', '--cwd', W]).err).toMatch(
    /^oriel: The field path of read is wrong: .*Its fields are path\. Use \{"path":"\."\}\.\n$/,
  );
  expect(run(['call', 'read', '{"path":"f","extra":1}', '--cwd', W]).err).toBe(
    `oriel: The tool read has no field extra. Its fields are path. Use {"path":"f"}.\n`,
  );
  expect(run(['call', 'nothing', '{}']).err).toMatch(
    /^oriel: The dialect oriel has no tool nothing\. Use one of read/,
  );
  const tools = JSON.parse(run(['tools', '--json']).out) as { name: string; inputSchema: object }[];
  expect(tools[0]).toMatchObject({ name: 'read', inputSchema: { type: 'object', required: ['path'] } });
});

test.each([
  [['read'], 'Nothing to read. Use oriel read PATH'],
  [['reed', 'x'], 'There is no command reed. Did you mean read? Use one of read, bash'],
  [['serch', 'x'], 'There is no command serch. Did you mean grep PATTERN [PATH…]? Use one of read, bash'],
  [['version'], 'There is no command version. Use oriel --version.'],
  [['-x'], 'No command was given, only -x. Use one of read, bash'],
  [['--json'], 'No command was given, only --json. Use one of read, bash'],
  [['cat', 'x'], 'There is no command cat. Use oriel read PATH.'],
  [['my file.txt:5'], "There is no command my file.txt:5. To read it, use oriel read 'my file.txt:5'\n"],
  [['constructor'], 'There is no command constructor. Use one of read, bash'],
  [['read', 'x', '--nope'], 'oriel read has no option --nope. Use oriel read --help for its options.'],
  [['read', 'x', '--limits', 'lines'], 'The limit lines is not NAME=N. Use --limits lines=500,bytes=20K.'],
  [['read', 'x', '--limits', 'pages=3'], 'There is no limit pages. Use one of lines'],
  [['read', 'x', '--limits', 'bytes=3'], 'The limit bytes is at least 64.'],
  [['read', 'x', '--display', 'fancy'], 'There is no display fancy. Use one of numbers'],
  [['read', 'x', '--root', '/no/such/root'], '/no/such/root does not exist.'],
])('%j is one line on stderr and exit 2', (args, message) => {
  const { out, err, code } = run(args);
  expect([out, code]).toEqual(['', 2]);
  expect(err).toContain(message);
  expect(err.trimEnd()).not.toContain('\n');
});

test('limits and display follow the options', () => {
  const { W, write } = workspace();
  write('f', 'one\ntwo\nthree\n');
  expect(run(['read', 'f', '--limits', 'lines=2'], { cwd: W }).out).toBe(
    '1|one\n2|two\n[Showing lines 1-2 of 3. Use f:3.. to continue]\n',
  );
  expect(run(['read', 'f', '--display', 'plain'], { cwd: W }).out).toBe('one\ntwo\nthree\n');
  expect(run(['read', 'f:2..2', '--display', 'hashline'], { cwd: W }).out).toMatch(
    /^¶f#[0-9A-F]{4}\n2:two\n$/,
  );
});

test('the default list of private files is one of servers, as oriel private says', () => {
  const { W, write } = workspace();
  write('.env', 'KEY=1\n');
  expect(run(['private', '.env'], { cwd: W }).out).toContain(
    'In oriel read and the like the default list never holds',
  );
  expect(run(['read', '.env', '--deny', 'x'], { cwd: W }).out).toBe('1|KEY=1\n');
  expect(run(['read', '.env', '--deny', '.env'], { cwd: W }).err).toContain(
    '.env is private by the rule .env of --deny',
  );
});

test('a reader that closes the pipe early is no failure', () => {
  const { W, write } = workspace();
  write('f', 'line of some length to fill the pipe\n'.repeat(20_000));
  const { stderr, status } = spawnSync(
    'sh',
    [
      '-c',
      `${process.execPath} ${cli} read f f f f f f f f --limits bytes=10M,lines=99999 | head -n 1 >/dev/null; exit $?`,
    ],
    {
      cwd: W,
      encoding: 'utf8',
    },
  );
  expect([stderr, status]).toEqual(['', 0]);
});

test.runIf(has('script'))(
  'a terminal gets coloured notices and escapes; NO_COLOR is respected',
  { tags: 'slow' },
  () => {
    const { W, write } = workspace();
    write('f', 'a\x1b[2J\nb\nc\n');
    const onTerminal = (command: string): string =>
      spawnSync('script', ['-qec', command, '/dev/null'], {
        cwd: W,
        encoding: 'utf8',
        // Continuous integration is taken for a terminal without colours, whatever TERM says.
        env: { PATH: process.env['PATH'], HOME: process.env['HOME'], TERM: 'xterm' },
      }).stdout;
    const command = `${process.execPath} ${cli} read f:raw --limits lines=1`;
    expect(onTerminal(command)).toBe(
      'a\\x1b[2J\r\n\x1b[33m[Showing lines 1-1 of 3. Use f:2..:raw to continue]\x1b[39m\r\n'.replace(
        'lines 1-1',
        'line 1',
      ),
    );
    expect(onTerminal(`NO_COLOR=1 ${command}`)).not.toContain('\x1b');
    expect(run(['read', 'f:raw', '--limits', 'lines=1'], { cwd: W }).out).toContain('a\x1b[2J\n');
  },
);

test('help and version', () => {
  expect(run(['--help']).out).toMatch(/^ {2}oriel read +read files and directories$/m);
  expect(run(['read', '--help']).out).toContain('--limits NAME=N,…');
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  expect(runProcess(['--version']).out).toBe(`${version}\n`);
});

test('a deleted working directory fails unless another is given', { tags: 'slow' }, () => {
  const { W, write } = workspace();
  write('f', 'a\n');
  mkdirSync(join(W, 'gone'));
  const started = (args: string): string =>
    execFileSync('sh', ['-c', `cd gone; rmdir ../gone; "$NODE" "$CLI" ${args} 2>&1 || true`], {
      cwd: W,
      encoding: 'utf8',
      env: { ...process.env, NODE: process.execPath, CLI: cli },
    });
  expect(started('read f')).toBe(
    'oriel: The working directory of this process no longer exists. Start it in one that does, or name one as cwd.\n',
  );
  mkdirSync(join(W, 'gone'));
  expect(started(`read f --cwd "${W}" --root "${W}"`)).toBe('1|a\n');
});
