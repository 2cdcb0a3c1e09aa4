import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, open, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { onPath, type RipgrepJob, ripgrepPath, RipgrepRun, splitRecords } from '../../src/process/ripgrep.ts';
import { queues } from '../../src/queues/queue-table.ts';

let dir: string;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'oriel-ripgrep-'));
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(dir, { recursive: true, force: true });
});

async function* textBytes(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text);
}

function over(text: string, flags: string[], more: Partial<RipgrepJob> = {}): RipgrepRun {
  const input = { kind: 'bytes', bytes: textBytes(text) } as const;
  return new RipgrepRun({ flags, input, deadline: performance.now() + 200_000, ...more });
}

/** Bytes that never come. */
async function* silence(): AsyncGenerator<Buffer> {
  yield await new Promise<never>(() => undefined);
}

async function output(run: RipgrepRun): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of run) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

describe('RipgrepRun', () => {
  test('yields stdout and tells how it ended', async () => {
    const run = over('one\ntwo\n', ['--regexp=two', '--line-number']);
    expect(await output(run)).toBe('2:two\n');
    expect(run.outcome).toEqual({
      code: 0,
      stderr: '',
      timedOut: false,
      outOfMemory: false,
      broken: false,
      unmapped: false,
    });
  });

  test('throws the error of a failing input after earlier matches', async () => {
    async function* failing(): AsyncGenerator<Buffer> {
      yield Buffer.from('one\ntwo\n');
      await setImmediate();
      throw new Error('the disk is full');
    }
    const run = over('', ['--regexp=two'], { input: { kind: 'bytes', bytes: failing() } });
    const chunks: string[] = [];
    const reading = (async () => {
      for await (const chunk of run) chunks.push(chunk.toString());
    })();
    await expect(reading).rejects.toThrow('the disk is full');
    expect([chunks, run.inputFailure]).toEqual([['two\n'], new Error('the disk is full')]);
  });

  test('searches an open file, whatever has become of its name', async () => {
    await writeFile(join(dir, 'a.txt'), 'one\ntwo\n');
    const file = await open(join(dir, 'a.txt'));
    await rm(join(dir, 'a.txt'));
    const input = { kind: 'file', fd: file.fd } as const;
    expect(await output(over('', ['--regexp=two', '--byte-offset'], { input }))).toBe('4:two\n');
    await file.close();
  });

  test('tells what was wrong with a pattern', async () => {
    const run = over('', ['--regexp=[']);
    expect(await output(run)).toBe('');
    expect(run.outcome?.code).toBe(2);
    expect(run.outcome?.stderr).toContain('error: unclosed character class');
  });

  test('tells that something else has ended it', async () => {
    const run = over('', ['--regexp=x'], { input: { kind: 'bytes', bytes: silence() } });
    const text = output(run);
    await expect.poll(() => children('rg').length).toBeGreaterThan(0);
    for (const pid of children('rg')) process.kill(pid, 'SIGKILL');
    expect(await text).toBe('');
    expect(run.outcome).toMatchObject({ code: undefined, broken: true, timedOut: false });
  });

  test('no more processes run concurrently than there are slots', { tags: 'slow' }, async () => {
    const runs = Array.from({ length: 12 }, () =>
      over('one\n', ['--regexp=one'], { signal: new AbortController().signal }),
    );
    const outputs = runs.map((run) => output(run));
    await setImmediate();
    expect(queues.ripgrep.stats).toMatchObject({ running: 4, waiting: 8 });
    expect(await Promise.all(outputs)).toEqual(Array(12).fill('one\n'));
    await expect.poll(() => queues.ripgrep.stats.running).toBe(0);
  });

  test('a search that starts another meanwhile does not block itself', async () => {
    queues.ripgrep.limit = 1;
    onTestFinished(() => void (queues.ripgrep.limit = 4));
    const text = 'one\n'.repeat(100_000);
    const { signal } = new AbortController();
    const inner = new Set<string>();
    for await (const _ of over(text, ['--regexp=one'], { signal })) {
      inner.add(await output(over(text, ['--regexp=one', '--count'], { signal })));
    }
    expect([...inner]).toEqual(['100000\n']);
  });

  test('reads no configuration file', async () => {
    await writeFile(join(dir, 'rc'), '--invert-match\n');
    vi.stubEnv('RIPGREP_CONFIG_PATH', join(dir, 'rc'));
    expect(await output(over('one\n', ['--regexp=one']))).toBe('one\n');
  });

  test('a value is never a flag', async () => {
    expect(await output(over('the --pre=sh flag\n', ['--regexp=--pre=sh']))).toBe('the --pre=sh flag\n');
  });

  test('is killed at its deadline', async () => {
    const input = { kind: 'bytes', bytes: silence() } as const;
    const run = over('', ['--regexp=x'], { input, deadline: performance.now() + 100 });
    expect(await output(run)).toBe('');
    expect(run.outcome).toMatchObject({ code: undefined, timedOut: true, broken: false });
  });

  test('is not started behind its deadline', async () => {
    const run = over('x\n', ['--regexp=x'], { deadline: performance.now() });
    expect(await output(run)).toBe('');
    expect(run.outcome).toMatchObject({ code: undefined, timedOut: true });
  });

  test('is killed by its signal', async () => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(new Error('enough')), 50);
    const input = { kind: 'bytes', bytes: silence() } as const;
    await expect(output(over('', ['--regexp=x'], { input, signal: controller.signal }))).rejects.toThrow(
      'enough',
    );
  });

  test('is killed when its reader leaves', async () => {
    const run = over('x\n'.repeat(200_000), ['--regexp=x', '--line-number']);
    for await (const chunk of run) {
      expect(chunk.length).toBeGreaterThan(0);
      break;
    }
    expect(run.outcome).toBeUndefined();
  });

  test.runIf(process.platform === 'linux')(
    'a line larger than its memory ends it without --mmap',
    { tags: 'slow' },
    async () => {
      await writeFile(join(dir, 'oversized'), 'needle');
      await truncate(join(dir, 'oversized'), 600 * 1024 * 1024);
      const file = await open(join(dir, 'oversized'));
      const input = { kind: 'file', fd: file.fd } as const;
      const flags = ['--regexp=needle', '--byte-offset', '--max-columns=1'];
      const held = over('', [...flags, '--no-mmap'], { input });
      expect(await output(held)).toBe('');
      expect(held.outcome).toMatchObject({ code: undefined, outOfMemory: true, broken: false });
      expect(await output(over('', [...flags, '--mmap'], { input }))).toBe(
        '0:[Omitted long matching line]\n',
      );
      await file.close();
    },
  );

  test('refuses a NUL character', async () => {
    await expect(output(over('', ['--regexp=a\0b']))).rejects.toMatchObject({ code: 'BAD_INPUT' });
  });
});

/** Processes of that name that this one has started. */
function children(name: string): number[] {
  const listed = spawnSync('ps', ['-o', 'pid=,comm=', '--ppid', String(process.pid)], { encoding: 'utf8' });
  return listed.stdout
    .split('\n')
    .filter((line) => line.endsWith(` ${name}`))
    .map((line) => Number.parseInt(line, 10));
}

async function* chunks(...texts: string[]): AsyncGenerator<Buffer> {
  for (const text of texts) yield Buffer.from(text);
}

async function split(most: number, ...texts: string[]): Promise<string[]> {
  const found: string[] = [];
  for await (const batch of splitRecords(chunks(...texts), '\n', most)) found.push(...batch);
  return found;
}

describe('records', () => {
  test('joins what lies across chunks', async () => {
    expect(await split(100, 'on', 'e\ntw', 'o\n', 'three')).toEqual(['one', 'two', 'three']);
  });

  test('cuts what is too long and goes on behind it', async () => {
    expect(await split(4, 'lon', 'ger ', 'than ', 'that\nb\n')).toEqual(['longthat', 'b']);
  });
});

describe('ripgrepPath', () => {
  test('is the binary of the package', () => {
    expect(execFileSync(ripgrepPath(), ['--version'], { encoding: 'utf8' })).toMatch(/^ripgrep \d+/);
  });

  test('on PATH only executable files in absolute folders count', async () => {
    const bin = join(dir, 'bin');
    await mkdir(join(dir, 'folder', 'rg'), { recursive: true });
    await mkdir(bin);
    await writeFile(join(dir, 'rg'), '');
    await writeFile(join(bin, 'rg'), '');
    await chmod(join(bin, 'rg'), 0o755);
    expect(onPath(['', '.', 'bin', join(dir, 'folder'), dir, bin].join(delimiter))).toBe(join(bin, 'rg'));
    expect(onPath('')).toBeUndefined();
  });
});

/** Whether this process may raise its limit, as the test does. */
function mayLeaveCores(): boolean {
  const limits = process.platform === 'linux' ? readFileSync('/proc/self/limits', 'utf8') : '';
  return /^Max core file size +\S+ +unlimited/m.test(limits);
}

test.runIf(mayLeaveCores())('may leave no core behind', async () => {
  const own = (limit: string): string =>
    execFileSync('prlimit', [
      '--pid',
      `${process.pid}`,
      `--core${limit}`,
      '--raw',
      '--noheadings',
    ]).toString();
  const before = /^CORE\s+\S+\s+(\S+)/.exec(own(''))?.[1];
  // As in a container, where nothing else is set.
  own('=unlimited:');
  onTestFinished(() => void own(`=${before}:`));
  async function* endless(): AsyncGenerator<Buffer> {
    yield Buffer.from('match\n'.repeat(100_000));
    yield* silence();
  }
  const job = { flags: ['--regexp=match'], input: { kind: 'bytes', bytes: endless() } } as const;
  for await (const _ of new RipgrepRun({ ...job, deadline: performance.now() + 200_000 })) {
    const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && isOurRipgrep(name));
    expect(pids.map((pid) => readFileSync(`/proc/${pid}/limits`, 'utf8'))).toEqual([
      expect.stringMatching(/^Max core file size +0 /m),
    ]);
    break;
  }
});

function isOurRipgrep(pid: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'latin1').includes(`(rg) `) && parentOf(pid) === process.pid;
  } catch {
    return false;
  }
}

function parentOf(pid: string): number {
  return Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
}
