import { mkdirSync, readdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { bench, living, nap, shown, temporaryFolder } from '../support/commands.ts';

describe('how a command ends', () => {
  test('its output, exit code and counts', async () => {
    const result = await bench().run('echo one; echo two >&2; printf three; exit 3');
    expect(shown(result)).toBe('one\ntwo\nthree');
    expect(result).toMatchObject({ exitCode: 3, timedOut: false, cancelled: false, timeout: 120 });
    expect(result.streams).toMatchObject([
      { name: 'output', bytes: 13, lines: 3, truncated: false, binary: false },
    ]);
    expect(result.streams[0]).toEqual(expect.not.objectContaining({ spill: expect.anything() }));
  });

  test('output written during termination is kept', { tags: 'slow' }, async () => {
    const result = await bench().run('trap "echo bye; exit 7" TERM; sleep 60 & wait', { timeout: 4.5 });
    expect(shown(result)).toBe('bye\n');
    expect(result).toMatchObject({ timedOut: true, exitCode: 7 });
  });

  test('SIGTERM is sent once, even while the command starts others', { tags: 'slow' }, async () => {
    const result = await bench().run('trap "echo bye" TERM; while :; do sleep 0.02 & wait $!; done', {
      timeout: 4.5,
    });
    expect(shown(result)).toBe('bye\n');
    expect(result).toMatchObject({ timedOut: true, signal: 'SIGKILL' });
  });

  test('the default timeout is an option', async () => {
    const result = await bench({ settings: { timeout: 0.2 } }).run('sleep 60');
    expect(result).toMatchObject({ timedOut: true, timeout: 0.2 });
  });

  test.each([86_401, 2 ** 31, Number.POSITIVE_INFINITY])(
    'a timeout of %d is applied',
    { tags: 'slow' },
    async (timeout) => {
      const result = await bench({ settings: { maxTimeout: Number.POSITIVE_INFINITY } }).run('sleep 0.05', {
        timeout,
      });
      expect(result).toMatchObject({ exitCode: 0, timedOut: false, timeout });
    },
  );

  test.each([
    [180_000, {}, 600],
    [700, { timeout: 900, maxTimeout: 900 }, 700],
    [2, { maxTimeout: 1 }, 1],
  ])('a timeout of %d s with %j is %d s', async (asked, settings, timeout) => {
    const result = await bench({ settings }).run('true', { timeout: asked });
    expect(result).toMatchObject({ timeout, capped: asked === timeout ? undefined : asked });
  });

  test.each([0, -1, Number.NaN])('a timeout of %d is refused', async (timeout) => {
    await expect(bench().run('echo hi', { timeout })).rejects.toMatchObject({
      code: 'BAD_INPUT',
      message: `The timeout ${timeout} is invalid: give seconds above 0, such as 120.`,
    });
  });

  test('an already cancelled call runs nothing', async () => {
    const { run, folder } = bench();
    await expect(run('touch made', {}, AbortSignal.abort())).rejects.toThrow('aborted');
    expect(readdirSync(folder)).toEqual([]);
  });

  test('a NUL in the command is refused', async () => {
    await expect(bench().run('echo \0')).rejects.toMatchObject({ code: 'BAD_INPUT' });
  });

  test('a command too long is refused with its length', async () => {
    await expect(bench().run(`: ${'x'.repeat(200_000)}`)).rejects.toMatchObject({
      code: 'BAD_INPUT',
      message:
        'The command is 200002 bytes long, more than the system allows (131,071 on Linux): write it to a file and run that.',
    });
  });

  test('an empty command is a success without output', async () => {
    const result = await bench().run('');
    expect(result).toMatchObject({ exitCode: 0 });
    expect(shown(result)).toBe('');
  });
});

describe('streams', () => {
  test('stdout and stderr come in the order of their writing', async () => {
    const result = await bench().run('for i in $(seq 200); do echo out $i; echo err $i >&2; done');
    const expected = Array.from({ length: 200 }, (_, i) => `out ${i + 1}\nerr ${i + 1}\n`).join('');
    expect(shown(result)).toBe(expected);
  });

  test('/dev/stdout and /dev/stderr can be opened', async () => {
    const result = await bench().run(
      'echo a > /dev/stderr; echo b | tee /dev/stderr > /dev/null; echo c > /dev/stdout',
    );
    expect(shown(result)).toBe('a\nb\nc\n');
  });

  test('a lingering child’s output is kept, or a notice given', async () => {
    const result = await bench().run('echo early; echo late > >(cat)');
    // A child that has spoken may still be there to be ended: what must not be is one that is lost without a word.
    const lost = shown(result) !== 'early\nlate\n';
    if (lost) expect([shown(result), result.background.ended]).toEqual(['early\n', 1]);
    else expect(result.background.left).toBe(0);
  });
});

describe('environment', () => {
  const unattended = {
    TERM: 'dumb',
    PAGER: 'cat',
    GIT_PAGER: 'cat',
    MANPAGER: 'cat',
    SYSTEMD_PAGER: 'cat',
    GIT_TERMINAL_PROMPT: '0',
    DEBIAN_FRONTEND: 'noninteractive',
  };
  /** Of a command, without those that the shell itself sets and the mark of the run. */
  async function variables(environment?: readonly string[]): Promise<Record<string, string>> {
    const result = await bench({ settings: environment ? { environment } : {} }).run('env');
    const all = shown(result).trim().split('\n');
    const own = all.filter((line) => !/^(?:PWD|OLDPWD|SHLVL|_|ORIEL_RUN)=/.test(line));
    return Object.fromEntries(own.map((line) => line.split('=') as [string, string]));
  }

  test('a command gets the allowed variables, no terminal and no token', async () => {
    const host = { OPEN_A: 'a', OPEN_B: 'b', ORIEL_TOKEN: 'x', ORIEL_TOKEN_DEV: 'y', TERM: 'xterm' };
    for (const [name, value] of Object.entries(host)) vi.stubEnv(name, value);
    onTestFinished(() => void vi.unstubAllEnvs());
    const all = await variables();
    const both = { ...unattended, OPEN_A: 'a', OPEN_B: 'b' };
    expect(all).toMatchObject(both);
    expect(Object.keys(all).filter((name) => name.startsWith('ORIEL_TOKEN'))).toEqual([]);
    expect(await variables(['OPEN_A', 'TERM', 'ABSENT'])).toEqual({ ...unattended, OPEN_A: 'a' });
    expect(await variables(['OPEN_*', 'ORIEL_TOKEN', 'ORIEL_TOKEN_*'])).toEqual(both);
    expect(await variables([])).toEqual(unattended);
  });
});

describe('working directory', () => {
  test.each(['-x', '--version', '--'])(
    'a command with a dash is no shell option: %s',
    { tags: 'slow' },
    async (command) => {
      const result = await bench().run(command);
      expect(result).toMatchObject({ exitCode: 127 });
      expect(shown(result)).toContain(`${command}: command not found`);
    },
  );

  test('B11 a working directory: the session’s, another, missing, a file', { tags: 'slow' }, async () => {
    const { run, folder } = bench();
    mkdirSync(join(folder, 'sub'));
    writeFileSync(join(folder, 'file'), '');
    expect(shown(await run('pwd'))).toBe(`${folder}\n`);
    expect(shown(await run('pwd', { cwd: 'sub' }))).toBe(`${folder}/sub\n`);
    await expect(run('pwd', { cwd: 'gone' })).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: 'The working directory gone does not exist. Leave cwd out to run it in the working directory.',
    });
    await expect(run('pwd', { cwd: 'sbu' })).rejects.toMatchObject({
      message: 'The working directory sbu does not exist. Did you mean sub? Use cwd sub.',
      next: 'sub',
    });
    await expect(run('pwd', { cwd: 'file' })).rejects.toMatchObject({
      code: 'NOT_DIRECTORY',
      message: 'cwd is a file: file. Leave cwd out to run it in the working directory.',
    });
    await expect(run('pwd', { cwd: 'file/x' })).rejects.toMatchObject({
      code: 'NOT_DIRECTORY',
      message:
        'The working directory file/x goes through file, which is a file. Leave cwd out to run it in the working directory.',
      next: '.',
    });
  });

  test('B11 a folder outside the roots', async () => {
    const { run } = bench({ roots: (folder) => [folder] });
    for (const cwd of ['/etc', '..', '/proc']) {
      await expect(run('pwd', { cwd })).rejects.toMatchObject({
        code: 'OUTSIDE_ROOT',
        message: expect.stringMatching(/ Leave cwd out to run it in the working directory\.$/) as string,
      });
    }
  });

  test('B11 a working directory of the session outside the roots', async () => {
    const inside = temporaryFolder();
    const { run } = bench({ roots: () => [inside] });
    for (const cwd of [undefined, '/tmp']) {
      await expect(run('pwd', cwd === undefined ? {} : { cwd })).rejects.toMatchObject({
        code: 'OUTSIDE_ROOT',
        message: `${cwd === undefined ? '.' : 'That path'} lies outside the directories that may be read. Use cwd ${inside}.`,
        next: inside,
      });
    }
    expect(shown(await run('pwd', { cwd: inside }))).toBe(`${inside}\n`);
  });

  test('B11 the folder of the session itself deleted', async () => {
    const { run, folder } = bench();
    rmdirSync(folder);
    await expect(run('pwd')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('progress', () => {
  test('shows the current tail, only when it has changed', { tags: 'slow' }, async () => {
    const { run, progress, folder } = bench();
    const until = (name: string): string => `until [ -e ${name} ]; do sleep 0.05; done`;
    const running = run(`seq 100; ${until('more')}; echo done; ${until('end')}`);
    await expect.poll(() => progress.at(-1)?.done).toBe(292);
    // Long enough for a second report, of which there must be none.
    await sleep(700);
    writeFileSync(join(folder, 'more'), '');
    await expect.poll(() => progress.at(-1)?.done).toBe(297);
    writeFileSync(join(folder, 'end'), '');
    await running;
    expect(progress.map(({ done }) => done)).toEqual([292, 297]);
    expect(progress[0]?.tail).toBe(Array.from({ length: 20 }, (_, i) => `${i + 81}\n`).join(''));
    expect(progress[1]?.message).toMatch(/^running for \d+ s, 297 bytes of output$/);
  });
});

describe('processes left behind', () => {
  test('they continue if the host wants that', async () => {
    const result = await bench({ settings: { background: 'keep' } }).run(`${nap(712)} & echo $!`);
    expect(result.background).toEqual({ ended: 0, left: 0 });
    const pid = Number(shown(result));
    // Until then the child of the shell is still to become `sleep`.
    await expect.poll(() => living(nap(712))).toEqual([nap(712)]);
    process.kill(pid);
  });

  test('later output of continuing processes is discarded', { tags: 'slow' }, async () => {
    const { run } = bench({ settings: { background: 'keep' } });
    const result = await run(`echo begun; yes ${nap(713)} &`, { keep: 'head' });
    expect(shown(result)).toMatch(/^begun\n/);
    await expect.poll(() => living(nap(713))).toEqual([]);
  });

  test('one that cleared its environment is found through its parent', { tags: 'slow' }, async () => {
    const cleared = `env -i sh -c "echo > ready; exec ${nap(714)}"`;
    const result = await bench().run(
      `setsid sh -c '${cleared}; :' & until [ -e ready ]; do sleep 0.05; done; exit 0`,
    );
    expect(result.background.ended).toBeGreaterThanOrEqual(2);
    expect(living(nap(714))).toEqual([]);
  });
});
