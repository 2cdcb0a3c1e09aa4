/** What people type by habit: it works, or the error says what to write. */

import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { allCommands } from '../../../src/faces/cli/commands.ts';
import { cli, type Outcome } from '../../support/cli.ts';
import { run as runIn } from '../../support/warm-cli.ts';

const cwd = mkdtempSync(join(tmpdir(), 'oriel-habits-'));
afterAll(() => [cwd, `${cwd}-cache`].forEach((at) => rmSync(at, { recursive: true, force: true })));
const env = { ...process.env, XDG_CACHE_HOME: `${cwd}-cache` };
mkdirSync(join(cwd, 'dir'));
mkdirSync(join(cwd, 'sub'));
writeFileSync(join(cwd, 'sub/b.ts'), '');
writeFileSync(join(cwd, 'a.txt'), 'one\ntwo\nthree\n');
writeFileSync(join(cwd, 'my file.txt'), 'x\n'.repeat(5_000));

const run = (...args: string[]): Outcome => runIn(args, { cwd, env });

describe('options', () => {
  test('are accepted before the command', () => {
    expect(run('--json', 'read', 'a.txt').out).toBe(run('read', 'a.txt', '--json').out);
    expect(run('--limits', 'lines=1', 'read', 'a.txt').out).toBe(
      run('read', 'a.txt', '--limits', 'lines=1').out,
    );
  });

  test('of bash end before its first operand', () => {
    expect(run('bash', 'printf', '%s.', '-l', '--json', '--', '-a').out).toBe('-l.--json.--.-a.\n');
    expect(run('bash', '--timeout', '20', '-c', 'echo hi').out).toBe('hi\n');
  });

  test.each([['-v'], ['-V'], ['--version']])('%s prints the version', (option) => {
    expect(run(option)).toMatchObject({ code: 0, out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) as string });
  });

  test('help is printed for every usual spelling', { tags: 'slow' }, async () => {
    for (const { name } of await allCommands()) {
      const help = run('help', name);
      expect(help).toMatchObject({ code: 0, out: expect.stringContaining(`oriel ${name}`) as string });
      // One that is loaded at the start, and one that is not.
      if (!['read', 'ls'].includes(name)) continue;
      expect(run(name, '--help')).toEqual(help);
      expect(run('--help', name)).toEqual(help);
    }
    expect(run('help')).toEqual(run('--help'));
  });

  test('no short option differs from its usual meaning', async () => {
    const shorts = (await allCommands()).flatMap(({ options }) =>
      options.flatMap(({ short }) => short ?? []),
    );
    expect([...new Set(shorts)].sort()).toEqual(['A', 'B', 'C', 'F', 'U', 'c', 'g', 'i', 'l', 't', 'w']);
  });
});

describe('short options of other programs', () => {
  test.each([
    [['ls', '-a'], ['ls']],
    [
      ['ls', '-1A', 'dir'],
      ['ls', 'dir'],
    ],
    [
      ['grep', '-rn', 'two'],
      ['grep', 'two'],
    ],
    [
      ['grep', '-nHE', 'tw.', 'a.txt'],
      ['grep', 'tw.', 'a.txt'],
    ],
  ])('%j is %j', (typed, meant) => {
    expect(run(...typed)).toEqual(run(...meant));
  });

  test('for the others the error names the right option', async () => {
    for (const { name, habits = {} } of await allCommands()) {
      for (const [letter, meaning] of Object.entries(habits)) {
        if (meaning === 'default') continue;
        const { code, out, err } = run(name, `-${letter}`, 'x');
        expect({ code, out, err }).toEqual({
          code: 2,
          out: '',
          err: `oriel: oriel ${name} has no option -${letter}. ${meaning}\n`,
        });
        expect(meaning).toMatch(/oriel|FILE|-C N/);
      }
    }
  });

  test('what they advise works', { tags: 'slow' }, () => {
    const sh = (command: string): string =>
      execFileSync('sh', ['-c', command.replaceAll('oriel ', `${process.execPath} ${cli} `)], {
        cwd,
        env,
        encoding: 'utf8',
      });
    expect(sh("oriel grep '\\btwo\\b' a.txt")).toBe('a.txt:2: two\n');
    expect(sh("oriel bash 'grep -v two a.txt'")).toBe('one\nthree\n');
    expect(sh("oriel find '*.txt' .")).toBe('a.txt\nmy file.txt\n');
    expect(sh('oriel read a.txt:-1')).toBe('3|three\n');
  });
});

describe('mistyped words', () => {
  test.each([
    [['grep', '-m', '3', 'two'], 'For the first N matches, use oriel grep --limit N PATTERN.'],
    [['grep', '--include', '*.txt', 'two'], "For files of some names, use oriel grep --glob '*.ts' PATTERN."],
    [['serve', '--port', '8080'], 'Use oriel serve --listen 127.0.0.1:8080.'],
    [['grep', '--limit', '-1', 'two'], '--limit takes a value. Use oriel grep --help for its options.'],
    [['grep', 'two', '--limit'], '--limit takes a value. Use oriel grep --help for its options.'],
    [['sub'], 'There is no command sub. To read it, use oriel read sub'],
    [['call', 'read', 'a.txt'], `a.txt is not valid JSON. Use oriel call read '{"path":"a.txt"}'`],
    [['call', 'ls', 'path=dir'], `path=dir is not valid JSON. Use oriel call ls '{"path":"dir"}'`],
    [['call', 'read', '{path:1}'], `{path:1} is not valid JSON. Use oriel call read '{"path":"."}'`],
    [['read', ':raw'], 'There is no path in front of :raw. Use . to list the working directory.'],
    [
      ['read', '--root', 'none', 'a.txt'],
      `The root ${join(cwd, 'none')} does not exist. Use a directory that does.`,
    ],
  ])('%j', (typed, said) => {
    const { code, out, err } = run(...typed);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err.endsWith(`${said}\n`), err).toBe(true);
  });

  test('a glob with backslashes: the error names one with slashes', () => {
    const { code, out } = run('find', 'sub\\*.ts');
    expect(code).toBe(1);
    expect(out).toMatch(/ Command: oriel find 'sub\/\*\.ts'\]\n$/);
  });
});

describe('grep', () => {
  test('takes several paths, each below its name', { tags: 'slow' }, () => {
    const { code, out } = run('grep', 'two', 'a.txt', 'dir', 'my file.txt');
    expect({ code, out }).toEqual({
      code: 0,
      out:
        '==> a.txt <==\na.txt:2: two\n==> dir <==\nNo matches found\n' +
        '==> my file.txt <==\nNo matches found\n',
    });
    expect(run('grep', 'nothing', 'a.txt', 'dir').code).toBe(1);
    expect(run('grep', 'two', 'a.txt', 'none').code).toBe(2);
    expect(run('grep', 'x', 'my file.txt', 'dir', '--limit', '1').out).toContain(
      'Command: oriel grep --limit 1 --offset 1 x ',
    );
  });

  test('several paths share one budget', () => {
    const { out } = run('grep', 'x|two', 'my file.txt', 'a.txt', '--limits', 'bytes=200');
    expect(Buffer.byteLength(out)).toBeLessThan(600);
    expect(out).toMatch(/a\.txt:2: two\n$/);
  });
});

describe('read', () => {
  test('/ is the root of the file system', { tags: 'slow' }, () => {
    expect(run('read', '/').out).toContain('tmp/');
    expect(run('ls', '/').out).toContain('tmp/\n');
  });

  test('for a quoted glob the error names both possible meanings', () => {
    expect(run('read', '*.ts')).toEqual({
      code: 2,
      out: '',
      err:
        "oriel: No file is called '*.ts'. To list the files that match, use oriel find '*.ts'; to read them, leave " +
        'out the quotes.\n',
    });
  });

  test('a path to a value is no glob', () => {
    writeFileSync(join(cwd, 'v.json'), '{"a": {"b": [1]}}');
    expect(run('read', 'v.json:#a.b[0]').out).toBe('1\n');
    expect(run('read', 'v.json:#a.b[7]').err).toMatch(/^oriel: v\.json has no symbol 'a\.b\[7\]'\. Use /);
  });

  test('several paths share one budget; unused rest goes on', () => {
    const { out } = run('read', 'a.txt', 'my file.txt', '--limits', 'lines=100');
    const [, first = '', second = ''] = out.split(/==> .* <==\n/);
    expect(first).toBe('1|one\n2|two\n3|three\n');
    expect(second.split('\n').slice(-3)).toEqual([
      '97|x',
      "[Showing lines 1-97 of 5000. Use 'my file.txt:98..' to continue]",
      '',
    ]);
  });

  test('a line too long for its share continues inside it', () => {
    writeFileSync(join(cwd, 'long.txt'), `${'-'.repeat(30_000)}\n`);
    const { out } = run('read', 'long.txt', 'a.txt');
    expect(out).toContain('Use long.txt:1@25568.. to continue]');
    expect(run('read', 'long.txt:1@25568..').out).toBe(`1|${'-'.repeat(30_000 - 25_568)}\n`);
  });

  test('the next call works when it is pasted back', { tags: 'slow' }, () => {
    const { out } = run('read', 'my file.txt', '--limits', 'lines=10');
    const next = /Use (.*) to continue/.exec(out)?.[1];
    expect(next).toBe("'my file.txt:11..'");
    const again = execFileSync('sh', ['-c', `${process.execPath} ${cli} read ${next} --limits lines=1`], {
      cwd,
      encoding: 'utf8',
    });
    expect(again).toMatch(/^11\|x\n/);
  });

  test('every call of a map can be pasted, blanks included', () => {
    mkdirSync(join(cwd, 'my map/sub one'), { recursive: true });
    for (let i = 0; i < 300; i += 1) writeFileSync(join(cwd, `my map/sub one/file ${i}.txt`), '');
    const { out } = run('read', 'my map:outline?bytes=700');
    const [, more, directory] = /Use (.*) for more, (.*) for one directory/.exec(out) ?? [];
    expect([more, directory]).toEqual(["'my map:outline?bytes=2K'", "'my map/sub one:outline'"]);
  });

  test('a list continues with the options of the command line', () => {
    const { out } = run('grep', 'x', '--limit', '2');
    expect(out).toContain('or refine pattern. Command: oriel grep --limit 2 --offset 2 x]');
  });
});

describe('read -', () => {
  const piped = (input: string, ...args: string[]): Outcome => runIn(args, { cwd, env, input });

  test('shows standard input, and later pages in later calls', () => {
    const { out } = piped('line\n'.repeat(4_000), 'read', '-');
    const next = /Use (artifact:\/\/\d+:3001\.\.) to continue\]\n$/.exec(out)?.[1] ?? '';
    expect(run('read', next).out.split('\n').length).toBe(1_001);
  });

  test('takes selectors', () => {
    expect(piped('a\nb\nc\n', 'read', '-:2..2').out).toBe('2|b\n');
    expect(piped('a\nb\nc\n', 'read', '-:-1').out).toBe('3|c\n');
  });

  test('in a dialect that reads only files', () => {
    expect(piped('a\nb\n', 'read', '-', '--dialect', 'pi').out).toBe('a\nb\n');
  });

  test('endless input is read up to a bound, with notice', { tags: 'slow' }, () => {
    const piping = (producer: string): Outcome => {
      const command = `${producer} | ${process.execPath} ${cli} read - --limits lines=1`;
      const { stdout, stderr, status } = spawnSync('sh', ['-c', command], { cwd, env, encoding: 'utf8' });
      return { out: stdout, err: stderr, code: status };
    };
    // Lines of three bytes: the last one is cut.
    const { out, err, code } = piping('yes ab');
    expect([err, code]).toEqual(['oriel: only the first 256 MiB of the input are read\n', 0]);
    const url = /artifact:\/\/\d+/.exec(out)?.[0] as string;
    const said = `[${url} holds the first 256 MiB of its output; the rest was not kept]\n`;
    expect(out).toContain(said);
    expect(run('read', `${url}:-2`).out).toBe(`89478485|ab\n89478486|a\n${said}`);
    // An input of exactly that size is kept whole.
    const whole = piping(`yes ab | head -c ${256 << 20}`);
    expect([whole.err, whole.code]).toEqual(['', 0]);
    expect(whole.out).not.toContain('kept');
  });
});

describe('exit codes of bash', () => {
  test.each([
    ['true', 0],
    ['exit 1', 1],
    ['exit 2', 2],
    ['exit 77', 77],
    ['kill -KILL $$', 137],
    ['no-such-program', 127],
  ])('%s ends with %i', (command, code) => {
    expect(run('bash', command).code).toBe(code);
    expect(run('bash', '--dialect', 'zdx', command).code).not.toBe(-1);
  });

  test('those of oriel itself are those of timeout(1)', () => {
    expect(run('bash', '--timeout', '0.2', 'sleep 60').code).toBe(124);
    expect(run('bash', '--nonsense', 'true').code).toBe(125);
    expect(run('bash', '--cwd', 'missing', 'true').code).toBe(125);
    expect(run('bash').code).toBe(125);
  });
});

describe('colours', () => {
  test('are on with FORCE_COLOR, and NO_COLOR takes precedence', { tags: 'slow' }, () => {
    const coloured = runIn(['grep', 'two'], { cwd, env: { ...env, FORCE_COLOR: '1', NO_COLOR: '' } }).out;
    expect(coloured).toBe('\u001b[35ma.txt\u001b[39m:\u001b[32m2\u001b[39m: two\n');
    const plain = runIn(['grep', 'two'], { cwd, env: { ...env, FORCE_COLOR: '1', NO_COLOR: '1' } }).out;
    expect(plain).toBe('a.txt:2: two\n');
    expect(run('grep', 'two').out).toBe(plain);
  });
});
