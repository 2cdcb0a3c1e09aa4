/** How ripgrep is started and how its end is told: with programs in its place that end in every way. */

import { EventEmitter, getEventListeners } from 'node:events';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  splitRecords,
  type RipgrepInput,
  type RipgrepJob,
  RipgrepRun,
  searchSlots,
} from '../../src/process/ripgrep.ts';
import { explained } from '../../src/call/unexpected.ts';
import { queues } from '../../src/queues/queue-table.ts';
import { temporaryFolder } from '../support/commands.ts';

const host = vi.hoisted(() => ({
  program: '',
  /** The error with which programs cannot be started. */
  failing: undefined as Error | undefined,
  /** Processes that were watched, and whether that has ended. */
  watched: [] as { pid: number | undefined; over: boolean }[],
}));

vi.mock('../../src/process/ripgrep-path.ts', () => ({ ripgrepPath: () => host.program }));
vi.mock('node:child_process', async (original) => {
  const real = await original<typeof import('node:child_process')>();
  const spawn = real.spawn as (...args: unknown[]) => unknown;
  return {
    ...real,
    spawn(...args: unknown[]) {
      const { failing } = host;
      if (!failing) return spawn(...args);
      // As of `spawn` without descriptors: without streams.
      const child = Object.assign(new EventEmitter(), { kill: () => false });
      process.nextTick(() => child.emit('error', failing));
      return child;
    },
  };
});
vi.mock('../../src/process/watchdog.ts', () => ({
  watchHelper: ({ pid }: { pid: number | undefined }) => {
    const one = { pid, over: false };
    host.watched.push(one);
    return () => void (one.over = true);
  },
}));

beforeEach(() => {
  host.watched.length = 0;
  host.failing = undefined;
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

/** The shell script that is run instead of ripgrep. */
function script(text: string): void {
  host.program = join(temporaryFolder(), 'rg');
  fs.writeFileSync(host.program, `#!/bin/sh\n${text}\n`);
  fs.chmodSync(host.program, 0o755);
}

const nothing: RipgrepInput = { kind: 'bytes', bytes: (async function* () {})() };

function runOf(job: Partial<RipgrepJob> = {}): RipgrepRun {
  return new RipgrepRun({ flags: [], input: nothing, deadline: performance.now() + 60_000, ...job });
}

async function outputOf(run: RipgrepRun): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of run) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** The output of the script, line by line. */
async function linesOf(job: Partial<RipgrepJob> = {}): Promise<string[]> {
  return (await outputOf(runOf(job))).split('\n').slice(0, -1);
}

function openFile(text: string): { readonly fd: number } {
  const path = join(temporaryFolder(), 'f');
  fs.writeFileSync(path, text);
  const fd = fs.openSync(path, 'r');
  onTestFinished(() => fs.closeSync(fd));
  return { fd };
}

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

/** Nothing runs and nothing waits: a slot is given back when the process has exited. */
const whenIdle = (): Promise<void> =>
  expect.poll(() => [queues.ripgrep.stats.running, queues.ripgrep.stats.waiting]).toEqual([0, 0]) as never;

const ENDED = { stderr: '', timedOut: false, outOfMemory: false, broken: false, unmapped: false };

const FIXED = [
  '--no-config',
  '--color=never',
  '--no-pre',
  '--no-search-zip',
  '--no-ignore',
  '--no-filename',
  '--no-heading',
  '--text',
  '--threads=1',
];

describe.runIf(process.platform === 'linux').each(['linux', 'darwin'] as const)('on %s', (platform) => {
  beforeEach(() => void vi.spyOn(process, 'platform', 'get').mockReturnValue(platform));

  test('flags come before the input: standard input or a file', async () => {
    script('for word; do echo "$word"; done');
    const flags = ['--regexp=a b', '--count'];
    expect(await linesOf({ flags })).toStrictEqual([...FIXED, ...flags, '--', '-']);
    const file = openFile('');
    expect(await linesOf({ flags, input: { kind: 'file', ...file } })).toStrictEqual([
      ...FIXED,
      ...flags,
      '--',
      '/proc/self/fd/3',
    ]);
  });

  test('bytes are its standard input, files are descriptor 3', async () => {
    script('cat; test -e /proc/self/fd/3 && echo "and 3"; exit 0');
    const bytes = (async function* () {
      yield Buffer.from('one ');
      yield Buffer.from('two\n');
    })();
    expect(await linesOf({ input: { kind: 'bytes', bytes } })).toStrictEqual(['one two']);
    script('cat; cat <&3');
    expect(await linesOf({ input: { kind: 'file', ...openFile('content\n') } })).toStrictEqual(['content']);
  });

  test('it has no environment, and no root as working directory', async () => {
    vi.stubEnv('RIPGREP_CONFIG_PATH', '/etc/ripgreprc');
    vi.stubEnv('SystemRoot', '/windows');
    script('env | grep -v -e "^PWD=" -e "^_=" -e "^SHLVL=" -e "^OLDPWD="; pwd');
    expect(await linesOf()).toStrictEqual(['/']);
  });

  test('its memory is limited where possible, it leaves no core', async () => {
    script('ulimit -S -d; ulimit -S -c');
    const [memory, core] = await linesOf();
    if (platform === 'linux') expect([memory, core]).toStrictEqual(['262144', '0']);
    else expect(memory).not.toBe('262144');
  });

  test.each([
    [0, false],
    [1, false],
    [2, false],
    [3, true],
    [126, true],
  ])('it exits with %d: broken %j', async (code, broken) => {
    script(`echo out; exit ${code}`);
    const run = runOf();
    expect(run.outcome).toBeUndefined();
    expect([await outputOf(run), run.outcome]).toStrictEqual(['out\n', { ...ENDED, code, broken }]);
    await whenIdle();
  });

  test('it is ended by a signal', async () => {
    for (const [signal, unmapped] of [
      ['KILL', false],
      ['BUS', true],
    ] as const) {
      script(`kill -${signal} $$`);
      const run = runOf();
      expect([await outputOf(run), run.outcome]).toStrictEqual([
        '',
        { ...ENDED, code: undefined, broken: true, unmapped },
      ]);
    }
  });

  test('it has no memory left only if that ended it', async () => {
    const said = 'memory allocation of 300000000 bytes failed';
    script(`echo "${said}" >&2; kill -ABRT $$`);
    const run = runOf();
    await outputOf(run);
    expect(run.outcome).toStrictEqual({ ...ENDED, code: undefined, stderr: `${said}\n`, outOfMemory: true });
    script(`echo "${said}" >&2; exit 2`);
    const other = runOf();
    await outputOf(other);
    expect(other.outcome).toStrictEqual({ ...ENDED, code: 2, stderr: `${said}\n` });
  });

  test('the first 64 KiB of its stderr are kept', async () => {
    script(
      'head -c 65535 /dev/zero | tr "\\0" x >&2; echo yz >&2; head -c 200000 /dev/zero | tr "\\0" z >&2; exit 2',
    );
    const run = runOf();
    await outputOf(run);
    expect(run.outcome?.stderr === `${'x'.repeat(65_535)}y`).toBe(true);
  });
});

test.runIf(process.platform === 'linux')('on Windows it gets the directory of the system', async () => {
  vi.spyOn(process, 'platform', 'get').mockReturnValue('win32');
  vi.stubEnv('SystemRoot', '/windows');
  script('echo "$SystemRoot"');
  expect(await linesOf()).toStrictEqual(['/windows']);
});

test('a program that cannot start is told, its slot released', async () => {
  vi.spyOn(process, 'platform', 'get').mockReturnValue('darwin');
  host.program = join(temporaryFolder(), 'x'.repeat(150));
  await expect(outputOf(runOf())).rejects.toMatchObject({
    code: 'UNSUPPORTED',
    message: `ripgrep could not be started: ${`spawn ${host.program} ENOENT`.slice(0, 100)}.`,
  });
  await whenIdle();
});

test.each(['EMFILE', 'ENFILE', 'EAGAIN', 'ENOMEM'])(
  'a shortage of the system is no missing ripgrep: %s',
  async (code) => {
    script('echo hello');
    host.failing = Object.assign(new Error(`spawn /bin/sh ${code}`), { code });
    const error: unknown = await outputOf(runOf()).catch((thrown: unknown) => thrown);
    expect([error, explained(error).code]).toEqual([host.failing, 'BUSY']);
    host.failing = undefined;
    expect(await outputOf(runOf())).toBe('hello\n');
    await whenIdle();
  },
);

test('a NUL is refused before the start, its slot released', async () => {
  const started = join(temporaryFolder(), 'started');
  script(`touch '${started}'`);
  for (const job of [
    { flags: ['--regexp=a\0'] },
    { input: { kind: 'bytes', bytes: nothing as never }, flags: ['\0'] },
  ] as const)
    await expect(outputOf(runOf(job as Partial<RipgrepJob>))).rejects.toMatchObject({
      code: 'BAD_INPUT',
      message: 'A pattern, glob or path cannot contain a NUL character.',
    });
  expect(fs.existsSync(started)).toBe(false);
  await whenIdle();
});

describe.runIf(process.platform === 'linux')('the end of a run', () => {
  /** Prints its process id and waits. */
  const WAITS = 'echo $$; exec sleep 600';

  test('a deadline far away does not end it', async () => {
    script('echo out');
    for (const deadline of [Number.POSITIVE_INFINITY, performance.now() + 2 ** 32]) {
      const run = runOf({ deadline });
      expect([await outputOf(run), run.outcome?.timedOut]).toStrictEqual(['out\n', false]);
    }
  });

  test('at its deadline it is killed', async () => {
    script(WAITS);
    const run = runOf({ deadline: performance.now() + 400 });
    const pid = Number(await outputOf(run));
    expect(run.outcome).toStrictEqual({ ...ENDED, code: undefined, timedOut: true });
    if (pid > 0) expect(isRunning(pid)).toBe(false);
    await whenIdle();
  });

  test('after its deadline it is not started', async () => {
    script('echo out');
    const run = runOf({ deadline: performance.now() - 1 });
    expect([await outputOf(run), run.outcome]).toStrictEqual([
      '',
      { ...ENDED, code: undefined, timedOut: true },
    ]);
    expect(queues.ripgrep.stats.running).toBe(0);
  });

  test('a cancelled call kills it, and nobody listens any more', async () => {
    script(WAITS);
    const stop = new AbortController();
    const pids: number[] = [];
    const reading = (async () => {
      for await (const chunk of runOf({ signal: stop.signal })) {
        pids.push(Number(chunk.toString()));
        stop.abort(new Error('enough'));
      }
    })();
    await expect(reading).rejects.toThrow('enough');
    await expect.poll(() => isRunning(pids[0] as number)).toBe(false);
    expect(getEventListeners(stop.signal, 'abort')).toStrictEqual([]);
    await whenIdle();
  });

  test('when its reader leaves it is killed', async () => {
    script(WAITS);
    const { signal } = new AbortController();
    const run = runOf({ signal });
    let pid = 0;
    for await (const chunk of run) {
      pid = Number(chunk.toString());
      break;
    }
    await expect.poll(() => isRunning(pid)).toBe(false);
    expect([run.outcome, getEventListeners(signal, 'abort')]).toStrictEqual([undefined, []]);
    await whenIdle();
  });

  test('a cancelled call starts nothing, also while waiting for slots', async () => {
    const started = join(temporaryFolder(), 'started');
    script(`touch '${started}'`);
    const reason = new Error('enough');
    await expect(outputOf(runOf({ signal: AbortSignal.abort(reason) }))).rejects.toBe(reason);
    const { signal } = new AbortController();
    const held = await Promise.all(
      Array.from({ length: queues.ripgrep.limit }, () => searchSlots.take(AbortSignal.any([signal]))),
    );
    const stop = new AbortController();
    const waiting = outputOf(runOf({ signal: stop.signal }));
    stop.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    for (const slot of held) slot.release();
    expect(fs.existsSync(started)).toBe(false);
    await whenIdle();
  });

  test('a call cancelled as it gets its slot starts nothing', async () => {
    const started = join(temporaryFolder(), 'started');
    script(`touch '${started}'`);
    const stop = new AbortController();
    const take = searchSlots.take.bind(searchSlots);
    vi.spyOn(searchSlots, 'take').mockImplementation(async (signal) => {
      const slot = await take(signal);
      stop.abort(new Error('enough'));
      return slot;
    });
    await expect(outputOf(runOf({ signal: stop.signal }))).rejects.toThrow('enough');
    expect(fs.existsSync(started)).toBe(false);
    await whenIdle();
  });

  // One that reads a pipe ends with its input.
  test('a process that reads a file is watched, others not', async () => {
    script('exit 0');
    await outputOf(runOf());
    expect(host.watched).toStrictEqual([]);
    await outputOf(runOf({ input: { kind: 'file', ...openFile('') } }));
    expect(host.watched).toStrictEqual([{ pid: expect.any(Number), over: true }]);
  });

  test('it need not read its input', async () => {
    script('exec <&-; echo out');
    const bytes = (async function* () {
      for (let i = 0; i < 100; i += 1) yield Buffer.alloc(100_000);
    })();
    const run = runOf({ input: { kind: 'bytes', bytes } });
    expect([await outputOf(run), run.outcome?.code]).toStrictEqual(['out\n', 0]);
  });
});

describe('records', () => {
  async function batches(
    separator: '\0' | '\n',
    most: number,
    ...chunks: readonly (string | Buffer)[]
  ): Promise<string[][]> {
    const found: string[][] = [];
    const bytes = (async function* () {
      for (const chunk of chunks) yield Buffer.from(chunk as string);
    })();
    for await (const batch of splitRecords(bytes, separator, most)) found.push(batch);
    return found;
  }

  test('come in one batch for each chunk that ends some', async () => {
    expect(await batches('\n', 100, 'a\nb\nc', 'd', 'e\n', 'f\n')).toStrictEqual([
      ['a', 'b'],
      ['cde'],
      ['f'],
    ]);
    expect(await batches('\0', 100, 'a\nb\0', '\0')).toStrictEqual([['a\nb'], ['']]);
    expect(await batches('\n', 100)).toStrictEqual([]);
    expect(await batches('\n', 100, 'a')).toStrictEqual([['a']]);
  });

  test('have one character for each byte', async () => {
    expect(await batches('\n', 100, Buffer.from([0xff, 0xc3, 10]))).toStrictEqual([['ÿÃ']]);
  });

  test('that do not end are cut', async () => {
    expect(await batches('\n', 3, 'abcdef', 'ghi', 'j\nk\n')).toStrictEqual([['abcj', 'k']]);
    expect(await batches('\n', 3, 'abcdef')).toStrictEqual([['abc']]);
  });
});
