/** What the watchdog is told and when it runs. That it ends what is left is tested with real processes in hardening/killed.test.ts. */

import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { SpawnOptions } from 'node:child_process';

/** A watchdog that was started. */
class Started extends EventEmitter {
  readonly stdin = Object.assign(new PassThrough(), { unref: vi.fn() });
  readonly unref = vi.fn();
  readonly lines: string[] = [];

  constructor() {
    super();
    this.stdin.setEncoding('utf8').on('data', (text: string) => void this.lines.push(text));
  }

  get isEnded(): boolean {
    return this.stdin.writableEnded;
  }
}

const mocked = vi.hoisted(() => ({
  started: [] as Started[],
  calls: [] as [command: string, args: readonly string[], options: SpawnOptions][],
  fails: false,
}));

vi.mock('../../src/process/start.ts', () => ({
  startProcess(...call: (typeof mocked.calls)[number]) {
    mocked.calls.push(call);
    if (mocked.fails) throw Object.assign(new Error('spawn EMFILE'), { code: 'EMFILE' });
    const child = new Started();
    mocked.started.push(child);
    return child;
  },
}));

type Module = typeof import('../../src/process/watchdog.ts');
let watch: Module['watch'];
let watchHelper: Module['watchHelper'];

beforeEach(async () => {
  Object.assign(mocked, { started: [], calls: [], fails: false });
  vi.resetModules();
  ({ watch, watchHelper } = await import('../../src/process/watchdog.ts'));
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});

const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** The lines that the watchdog was told until now. */
async function told(at = 0): Promise<string[]> {
  await turn();
  return mocked.started[at]?.lines ?? [];
}

describe('it is told', () => {
  test('the running processes at each change, empty at the end', async () => {
    const one = watch('aa');
    one.isRunning(11);
    const two = watch('bb');
    two.isRunning(22);
    one.release();
    two.release();
    expect(await told()).toEqual(['0:aa\n', '11:aa\n', '11:aa 0:bb\n', '11:aa 22:bb\n', '22:bb\n', '\n']);
    expect(mocked.started).toHaveLength(1);
  });

  test('once that a process has ended', async () => {
    const one = watch('aa');
    const two = watch('bb');
    one.release();
    one.release();
    expect(await told()).toEqual(['0:aa\n', '0:aa 0:bb\n', '0:bb\n']);
    two.release();
  });

  test('a process that runs already', async () => {
    watch('aa', 7);
    expect(await told()).toEqual(['7:aa\n']);
  });

  test('a helper with a token of its own', async () => {
    const end = watchHelper({ pid: 7 } as never);
    const other = watchHelper({ pid: 8 } as never);
    end();
    other();
    const [first, second, third, last] = await told();
    expect(first).toMatch(/^7:[0-9a-f]{32}\n$/);
    expect(second).toBe(`${first?.trim()} ${third}`);
    expect(third).toMatch(/^8:[0-9a-f]{32}\n$/);
    expect(third?.slice(2)).not.toBe(first?.slice(2));
    expect(last).toBe('\n');
  });

  test('nothing of a helper that could not be started', async () => {
    watchHelper({ pid: undefined } as never)();
    expect(await told()).toEqual([]);
    expect(mocked.calls).toEqual([]);
  });
});

describe('it is started', () => {
  test('in its own session, outside directories, without other variables', () => {
    vi.stubEnv('PATH', '/some/bin');
    vi.stubEnv('ORIEL_RUN', undefined);
    vi.stubEnv('SECRET', 'x');
    watch('aa');
    expect(mocked.calls).toEqual([
      [
        '/bin/sh',
        ['-c', expect.stringContaining('while read -r line; do'), 'oriel-watchdog'],
        { cwd: '/', env: { PATH: '/some/bin' }, detached: true, stdio: ['pipe', 'ignore', 'ignore'] },
      ],
    ]);
  });

  test('as part of an outer run, with a default PATH', () => {
    vi.stubEnv('PATH', undefined);
    vi.stubEnv('ORIEL_RUN', 'outer');
    watch('aa');
    expect(mocked.calls[0]?.[2].env).toEqual({
      PATH: '/usr/local/bin:/usr/bin:/bin',
      ORIEL_RUN: 'outer',
    });
  });

  test('so that it and its pipe keep no process alive', () => {
    watch('aa');
    const [child] = mocked.started;
    expect(child?.unref).toHaveBeenCalledOnce();
    expect(child?.stdin.unref).toHaveBeenCalledOnce();
  });

  test('with the next command if it could not be started', async () => {
    mocked.fails = true;
    const one = watch('aa');
    one.release();
    mocked.fails = false;
    watch('bb');
    expect(await told()).toEqual(['0:bb\n']);
    expect(mocked.calls).toHaveLength(2);
  });

  test('with the next command if the program is missing', async () => {
    watch('aa');
    const [child] = mocked.started;
    child?.emit('error', new Error('spawn ENOENT'));
    child?.stdin.emit('error', new Error('write EPIPE'));
    watch('bb');
    expect(await told(1)).toEqual(['0:aa 0:bb\n']);
  });

  test('again if its pipe is closed', async () => {
    watch('aa').isRunning(5);
    mocked.started[0]?.stdin.destroy();
    watch('bb');
    expect(await told(1)).toEqual(['5:aa 0:bb\n']);
  });

  test('not on Windows', () => {
    vi.stubGlobal('process', Object.create(process, { platform: { value: 'win32' } }));
    watch('aa').release();
    expect(mocked.calls).toEqual([]);
  });
});

describe('it ends', () => {
  test('half a second after the last command', () => {
    watch('aa').release();
    vi.advanceTimersByTime(499);
    expect(mocked.started[0]?.isEnded).toBe(false);
    vi.advanceTimersByTime(1);
    expect(mocked.started[0]?.isEnded).toBe(true);
  });

  test('not if another command follows', async () => {
    watch('aa').release();
    vi.advanceTimersByTime(400);
    const second = watch('bb');
    vi.advanceTimersByTime(5_000);
    expect(mocked.started[0]?.isEnded).toBe(false);
    second.release();
    vi.advanceTimersByTime(500);
    expect(mocked.started[0]?.isEnded).toBe(true);
    expect(await told()).toEqual(['0:aa\n', '\n', '0:bb\n', '\n']);
    expect(mocked.started).toHaveLength(1);
  });

  test('before its next command there is another', async () => {
    watch('aa').release();
    vi.advanceTimersByTime(500);
    watch('bb');
    expect(await told(1)).toEqual(['0:bb\n']);
    // The end of the first one changes nothing.
    mocked.started[0]?.emit('exit', 0, null);
    watch('cc');
    expect(await told(1)).toEqual(['0:bb\n', '0:bb 0:cc\n']);
    expect(mocked.started).toHaveLength(2);
  });

  test('its end timer does not keep this process alive', () => {
    const unref = vi.fn();
    vi.stubGlobal('setTimeout', () => ({ unref }));
    watch('aa').release();
    expect(unref).toHaveBeenCalledOnce();
  });

  test.each([
    ['is replaced at once while commands run', 1_001, ['7:aa\n']],
    ['is not replaced before the next command if it lived for a second at most', 1_000, []],
  ])('one that was killed %s', async (_, lived, lines) => {
    vi.advanceTimersByTime(5_000);
    watch('aa', 7);
    vi.advanceTimersByTime(lived);
    mocked.started[0]?.emit('exit', null, 'SIGKILL');
    expect(await told(1)).toEqual(lines);
    watch('bb');
    expect(await told(1)).toEqual([...lines, '7:aa 0:bb\n']);
    expect(mocked.started).toHaveLength(2);
  });

  test('one that was killed is not replaced when nothing runs', () => {
    watch('aa').release();
    vi.advanceTimersByTime(1_001);
    mocked.started[0]?.emit('exit', null, 'SIGKILL');
    vi.advanceTimersByTime(5_000);
    expect(mocked.started).toHaveLength(1);
  });

  test('one killed while idle need not be ended', () => {
    watch('aa').release();
    vi.advanceTimersByTime(100);
    mocked.started[0]?.emit('exit', null, 'SIGKILL');
    expect(() => vi.advanceTimersByTime(400)).not.toThrow();
    expect(mocked.started[0]?.isEnded).toBe(false);
  });
});
