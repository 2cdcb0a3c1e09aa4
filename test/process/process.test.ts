import type * as processes from 'node:child_process';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { type RunningShell, type ShellCommand, startShell } from '../../src/process/command.ts';
import { closeSparePipes } from '../../src/files/descriptors.ts';
import type { watch } from '../../src/process/watchdog.ts';
import { createOriel } from '../../src/oriel.ts';
import { builtUrl } from '../support/built.ts';
import { bench, living, nap, shown, temporaryFolder } from '../support/commands.ts';

const mocked = vi.hoisted(() => ({
  /** Called in place of `spawn`. */
  spawn: undefined as ((...call: unknown[]) => unknown) | undefined,
  /** The processes that the watchdog would kill, by their tokens. */
  watched: new Map<string, number>(),
}));

vi.mock('node:child_process', async (original) => {
  const real = await original<typeof processes>();
  const spawned = real.spawn as (...call: unknown[]) => unknown;
  return { ...real, spawn: (...call: unknown[]) => (mocked.spawn ?? spawned)(...call) };
});

vi.mock('../../src/process/watchdog.ts', async (original) => {
  const real = await original<{ watch: typeof watch }>();
  return {
    ...real,
    watch(token: string, started = 0) {
      const { isRunning, release } = real.watch(token, started);
      mocked.watched.set(token, started);
      return {
        isRunning(pid: number) {
          mocked.watched.set(token, pid);
          isRunning(pid);
        },
        release() {
          mocked.watched.delete(token);
          release();
        },
      };
    },
  };
});

/** A PATH that holds these programs and no others. */
function onlyPrograms(...names: string[]): void {
  const folder = temporaryFolder();
  for (const name of names) {
    symlinkSync(execFileSync('which', [name], { encoding: 'utf8' }).trim(), join(folder, name));
  }
  vi.stubEnv('PATH', folder);
  onTestFinished(() => void vi.unstubAllEnvs());
}

describe('where there is no mkfifo', () => {
  test('a command runs all the same', { tags: 'slow' }, async () => {
    onlyPrograms('bash', 'seq', 'sleep');
    const result = await bench().run('seq 5000; sleep 0.1; echo err >&2; exit 4');
    expect(result).toMatchObject({ exitCode: 4, streams: [{ lines: 5_001, truncated: true }] });
    expect(shown(result)).toMatch(/\n4999\n5000\nerr\n$/);
  });

  test('streams are kept apart', async () => {
    onlyPrograms('bash');
    const result = await bench().run('echo out; echo err >&2', { streams: 'split' });
    expect([shown(result, 0), shown(result, 1)]).toEqual(['out\n', 'err\n']);
  });

  test('a flood is held up until it is written', { tags: 'slow' }, async () => {
    onlyPrograms('bash', 'seq');
    const result = await bench().run('seq 3000000');
    expect(result.streams).toMatchObject([
      { bytes: 22_888_896, lines: 3_000_000, spill: { bytes: 22_888_896 } },
    ]);
  });
});

test('one process makes the pipes of six short commands', { tags: 'slow' }, async () => {
  closeSparePipes();
  const mkfifo = execFileSync('which', ['mkfifo'], { encoding: 'utf8' }).trim();
  const log = join(temporaryFolder(), 'log');
  onlyPrograms('bash');
  writeFileSync(
    join(process.env['PATH'] as string, 'mkfifo'),
    `#!/bin/sh\necho made >> ${log}\nexec ${mkfifo} "$@"\n`,
    { mode: 0o755 },
  );
  const { run } = bench();
  for (let i = 0; i < 6; i += 1) expect(shown(await run('echo hi'))).toBe('hi\n');
  expect(readFileSync(log, 'utf8')).toBe('made\n');
});

test('sh is taken where there is no bash', async () => {
  onlyPrograms('sh', 'mkfifo');
  expect(shown(await bench().run('echo $0'))).toBe('sh\n');
});

test('that there is no shell at all is said', async () => {
  onlyPrograms('mkfifo');
  await expect(bench().run('true')).rejects.toMatchObject({
    code: 'UNSUPPORTED',
    message: 'There is neither bash nor sh on the PATH.',
  });
});

test('a process that exits takes its commands with it', { tags: 'slow' }, async () => {
  const code = `import { createOriel } from ${JSON.stringify(builtUrl('index.js').href)};
    const command = '${nap(740)}1 & setsid ${nap(740)}2 & echo started; ${nap(740)}3';
    const onProgress = () => process.exit(7);
    createOriel({ spills: { state: ${JSON.stringify(temporaryFolder())} } }).tool('bash').run({ command }, { onProgress });`;
  const host = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: 'inherit' });
  const [exitCode] = (await once(host, 'exit')) as [number];
  expect(exitCode).toBe(7);
  await expect.poll(() => living(nap(740)).filter((line) => line.startsWith('sleep'))).toEqual([]);
});

test('a listener of the host that fails, fails alone', async () => {
  const cwd = temporaryFolder();
  const oriel = createOriel({ cwd, spills: { state: temporaryFolder() } });
  const onProgress = (): never => {
    writeFileSync(join(cwd, 'told'), '');
    throw new Error('not now');
  };
  const command = 'echo hi; until [ -e told ]; do sleep 0.05; done';
  const { content } = await oriel.tool('bash').run({ command }, { onProgress });
  expect(content).toEqual([{ type: 'text', text: 'hi\n' }]);
  await oriel.close();
});

test('no pipe and no descriptor is left behind', { tags: 'slow' }, async () => {
  const { run, spills } = bench();
  await run('true');
  const descriptors = (): number => readdirSync('/proc/self/fd').length;
  closeSparePipes();
  const before = descriptors();
  for (let i = 0; i < 5; i += 1) await run('seq 3000; sleep 99.1 &', { streams: i % 2 ? 'merged' : 'split' });
  await expect(run('x'.repeat(200_000))).rejects.toThrow();
  // Pipes for the next commands are made in the background.
  const heldByCommands = (): number => {
    closeSparePipes();
    return descriptors();
  };
  await expect.poll(heldByCommands).toBeLessThanOrEqual(before);
  const named = (): string[] => readdirSync(spills.directory).filter((name) => name.startsWith('pipe'));
  await expect.poll(named).toEqual([]);
});

test('a taker gets nothing during the pause that it wants', async () => {
  let paused = false;
  const taken: string[] = [];
  const shell = await startShell({
    command: 'for i in 1 2 3; do printf $i; sleep 0.05; done',
    cwd: '/',
    env: { PATH: process.env['PATH'] ?? '' },
    directory: temporaryFolder(),
    takes: [
      (chunk) => {
        expect(paused).toBe(false);
        paused = true;
        taken.push(Buffer.from(chunk).toString());
        return setTimeout(30).then(() => {
          paused = false;
        });
      },
    ],
  });
  await shell.drained;
  expect(taken.join('')).toBe('123');
  expect(await shell.exited).toEqual({ code: 0 });
  shell.release();
});

/** Its output and the shell, which is released after the test. */
async function started(
  command: string,
  more: Partial<ShellCommand> = {},
): Promise<{ shell: RunningShell; text: (at?: number) => string }> {
  const texts = ['', ''];
  const take = (at: number) => (chunk: Uint8Array) => {
    texts[at] += Buffer.from(chunk).toString();
    return undefined;
  };
  const shell = await startShell({
    command,
    cwd: '/',
    env: { PATH: process.env['PATH'] ?? '' },
    directory: temporaryFolder(),
    takes: [take(0), take(1)],
    ...more,
  });
  onTestFinished(async () => {
    await shell.end(0);
    shell.release();
  });
  return { shell, text: (at = 0) => texts[at] ?? '' };
}

const thrown = (code: string): Error => Object.assign(new Error(`spawn ${code}`), { code });

describe('a command that cannot be started', () => {
  test.each([
    ['echo \0', undefined, 'BAD_INPUT', 'The command contains a NUL character, which no shell accepts.'],
    ['x', 'EACCES', 'DENIED', 'The shell could not be started (EACCES).'],
    ['x', 'EPERM', 'DENIED', 'The shell could not be started (EPERM).'],
    ['x', 'EAGAIN', 'BUSY', 'The shell could not be started (EAGAIN).'],
    [
      'éé',
      'E2BIG',
      'BAD_INPUT',
      'The command is 4 bytes long, more than the system allows (131,071 on Linux): write it to a file and run that.',
    ],
  ])('%j: %s', async (command, failure, code, message) => {
    const calls: string[] = [];
    if (failure !== undefined) {
      mocked.spawn = (shell: unknown) => {
        calls.push(String(shell));
        throw thrown(failure);
      };
      onTestFinished(() => void (mocked.spawn = undefined));
    }
    const options = { command, cwd: '/', env: {}, directory: undefined, takes: [() => undefined] };
    await expect(startShell(options)).rejects.toMatchObject({ code, message });
    // Another shell would be refused, too.
    expect(calls).toEqual(failure === undefined ? [] : ['bash']);
    expect(mocked.watched.size).toBe(0);
  });

  test('leaves no pipe', async () => {
    const directory = temporaryFolder();
    const takes = [() => undefined, () => undefined];
    closeSparePipes();
    const options = { command: 'true', cwd: '/', directory, takes };
    const before = readdirSync('/proc/self/fd').length;
    const { PATH = '' } = process.env;
    for (const env of [{ PATH: '/nowhere' }, { PATH, LARGE: 'x'.repeat(1 << 20) }])
      await expect(startShell({ ...options, env })).rejects.toThrow();
    const inUse = (): number => {
      closeSparePipes();
      return readdirSync('/proc/self/fd').length;
    };
    await expect.poll(inUse).toBeLessThanOrEqual(before);
  });

  test('in a directory that is gone', async () => {
    await expect(started('true', { cwd: '/nowhere/at/all' })).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: 'The working directory is no longer there.',
    });
  });
});

describe('a command', () => {
  test.each([
    ['exit 3', { code: 3 }],
    ['exit 0', { code: 0 }],
    ['kill -9 $$', { signal: 'SIGKILL' }],
  ])('%s: its exit', async (command, expected) => {
    const { shell } = await started(command);
    expect(await shell.exited).toEqual(expected);
    await shell.drained;
  });

  test.each([
    [undefined, /^[0-9a-f]{32}\n$/],
    ['', /^[0-9a-f]{32}\n$/],
    ['outer,inner', /^outer,inner,[0-9a-f]{32}\n$/],
  ])('has a token in its environment after outer ones: %j', async (outer, expected) => {
    const env = { PATH: process.env['PATH'] ?? '', ...(outer !== undefined && { ORIEL_RUN: outer }) };
    const { shell, text } = await started('echo $ORIEL_RUN', { env });
    await shell.drained;
    expect(text()).toMatch(expected);
  });

  test('has its own process group and session, and empty input', async () => {
    const { shell, text } = await started('ps -o pgid= -o sid= -p $$; echo $$; cat');
    await shell.drained;
    const [group, session, pid] = text().trim().split(/\s+/);
    expect([group, session]).toEqual([pid, pid]);
  });

  test.each([
    ['pipes', undefined],
    ['sockets', { directory: undefined }],
  ])('over %s: its streams are kept apart or together', async (_, more) => {
    const apart = await started('echo out; echo err >&2', more);
    await apart.shell.drained;
    expect([apart.text(0), apart.text(1)]).toEqual(['out\n', 'err\n']);
    let both = '';
    const take = (chunk: Uint8Array): undefined => void (both += Buffer.from(chunk).toString());
    const together = await started('echo out; sleep 0.2; echo err >&2', { ...more, takes: [take] });
    await together.shell.drained;
    expect(both).toBe('out\nerr\n');
  });

  test.each([
    ['pipes', undefined],
    ['sockets', { directory: undefined }],
  ])('over %s: is paused while one of its streams is', async (_, more) => {
    const waiting: (() => void)[] = [];
    const take = () => new Promise<void>((resolve) => void waiting.push(resolve));
    const takes = [() => undefined, take];
    const { shell } = await started('echo out; echo err >&2', { ...more, takes });
    expect(shell.paused).toBe(false);
    await expect.poll(() => shell.paused).toBe(true);
    waiting.shift()?.();
    await expect.poll(() => shell.paused).toBe(false);
    await shell.drained;
  });

  test('is drained when the last writer ends, even after exit', async () => {
    const folder = temporaryFolder();
    const { shell, text } = await started(`(until [ -e ${folder}/go ]; do sleep 0.02; done; echo late) &`);
    expect(await shell.exited).toEqual({ code: 0 });
    let isDrained = false;
    void shell.drained.then(() => (isDrained = true));
    await setTimeout(20);
    expect(isDrained).toBe(false);
    writeFileSync(join(folder, 'go'), '');
    await shell.drained;
    expect(text()).toBe('late\n');
  });

  test('that is released loses its readers', async () => {
    const { shell } = await started('yes 742');
    shell.release();
    expect((await shell.exited).signal).toBe('SIGPIPE');
  });

  test('is watched from before its start until it is released', async () => {
    const during: number[][] = [];
    mocked.watched.clear();
    const { shell } = await started(nap(743));
    during.push([...mocked.watched.values()]);
    shell.release();
    during.push([...mocked.watched.values()]);
    expect(during).toEqual([[expect.any(Number)], []]);
    expect(during[0]?.[0]).toBeGreaterThan(1);
  });

  test('and others are killed when this process exits', async () => {
    const listeners = process.listeners('exit');
    const one = await started(`${nap(744)}1 & ${nap(744)}2`);
    const two = await started(`setsid ${nap(744)}3 & ${nap(744)}4`);
    await expect.poll(() => living(nap(744)).filter((line) => line.startsWith('sleep'))).toHaveLength(4);
    const own = process.listeners('exit').filter((listener) => !listeners.includes(listener));
    expect(own).toHaveLength(1);
    own[0]?.(0);
    expect(await one.shell.exited).toEqual({ signal: 'SIGKILL' });
    expect(await two.shell.exited).toEqual({ signal: 'SIGKILL' });
    await expect.poll(() => living(nap(744))).toEqual([]);
    one.shell.release();
    expect(process.listeners('exit')).toHaveLength(listeners.length + 1);
    two.shell.release();
    expect(process.listeners('exit')).toEqual(listeners);
  });

  test('that was released is not killed when this process exits', async () => {
    const listeners = process.listeners('exit');
    const one = await started(`${nap(745)}1`);
    const two = await started(`${nap(745)}2`);
    one.shell.release();
    const own = process.listeners('exit').filter((listener) => !listeners.includes(listener));
    own[0]?.(0);
    expect(await two.shell.exited).toEqual({ signal: 'SIGKILL' });
    // Until then the shell is still to become `sleep`.
    await expect.poll(() => living(`${nap(745)}1`)).toEqual([`${nap(745)}1`]);
  });
});
