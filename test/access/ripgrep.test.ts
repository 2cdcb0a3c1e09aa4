import { execFileSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';

import { onPath, ripgrepPath } from '../../src/access/ripgrep-path.ts';
import {
  listFiles,
  type ListFilesOptions,
  records,
  type RipgrepJob,
  RipgrepRun,
  utf8,
} from '../../src/access/ripgrep.ts';
import { queues } from '../../src/queues/table.ts';

let dir: string;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'oriel-ripgrep-'));
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(dir, { recursive: true, force: true });
});

function job(flags: string[], operands = ['./'], more: Partial<RipgrepJob> = {}): RipgrepRun {
  return new RipgrepRun({ cwd: dir, flags, operands, deadline: performance.now() + 20_000, ...more });
}

async function output(run: RipgrepRun): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of run) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

async function listed(options: Partial<ListFilesOptions> = {}): Promise<string[]> {
  const names: string[] = [];
  for await (const name of listFiles(dir, { most: 1000, deadlineMs: 20_000, ...options })) names.push(name);
  return names.sort();
}

describe('RipgrepRun', () => {
  test('yields stdout and tells how it ended', async () => {
    await writeFile(join(dir, 'a.txt'), 'one\ntwo\n');
    const run = job(['--regexp=two', '--line-number']);
    expect(await output(run)).toBe('./a.txt:2:two\n');
    expect(run.outcome).toEqual({ code: 0, stderr: '', timedOut: false, outOfMemory: false });
  });

  test('tells what was wrong with a pattern', async () => {
    const run = job(['--regexp=[']);
    expect(await output(run)).toBe('');
    expect(run.outcome?.code).toBe(2);
    expect(run.outcome?.stderr).toContain('error: unclosed character class');
  });

  test('no more processes run at once than there are slots', async () => {
    await writeFile(join(dir, 'a.txt'), 'one\n');
    const runs = Array.from({ length: 12 }, () =>
      job(['--regexp=one'], ['./'], { signal: new AbortController().signal }),
    );
    const outputs = runs.map((run) => output(run));
    await setImmediate();
    expect(queues.ripgrep.stats).toMatchObject({ running: 4, waiting: 8 });
    expect(await Promise.all(outputs)).toEqual(Array(12).fill('./a.txt:one\n'));
    await vi.waitUntil(() => queues.ripgrep.stats.running === 0);
  });

  test('a search that starts a second process while it reads the first does not wait for itself', async () => {
    queues.ripgrep.limit = 1;
    onTestFinished(() => void (queues.ripgrep.limit = 4));
    await writeFile(join(dir, 'a.txt'), 'one\n'.repeat(100_000));
    const { signal } = new AbortController();
    const inner = new Set<string>();
    for await (const _ of job(['--regexp=one'], ['./'], { signal })) {
      inner.add(await output(job(['--regexp=one', '--count'], ['./'], { signal })));
    }
    expect([...inner]).toEqual(['./a.txt:100000\n']);
  });

  test('reads no configuration file', async () => {
    await writeFile(join(dir, 'a.txt'), 'one\n');
    await writeFile(join(dir, 'rc'), '--invert-match\n');
    vi.stubEnv('RIPGREP_CONFIG_PATH', join(dir, 'rc'));
    expect(await output(job(['--regexp=one']))).toBe('./a.txt:one\n');
  });

  test('a value is never a flag', async () => {
    await writeFile(join(dir, '--pre=sh'), 'the --pre=sh flag\n');
    expect(await output(job(['--regexp=--pre=sh'], ['./--pre=sh']))).toBe('the --pre=sh flag\n');
  });

  test('does not follow links', async () => {
    const outside = await mkdtemp(join(tmpdir(), 'oriel-outside-'));
    await writeFile(join(outside, 'secret.txt'), 'secret\n');
    await symlink(outside, join(dir, 'out'));
    await symlink(join(outside, 'secret.txt'), join(dir, 'secret.txt'));
    await symlink('.', join(dir, 'self'));
    expect(await output(job(['--regexp=secret']))).toBe('');
    await rm(outside, { recursive: true });
  });

  test('is killed at its deadline', async () => {
    execFileSync('mkfifo', [join(dir, 'pipe')]);
    const run = job(['--regexp=x'], ['./pipe'], { deadline: performance.now() + 100 });
    expect(await output(run)).toBe('');
    expect(run.outcome).toMatchObject({ code: undefined, timedOut: true });
  });

  test('is not started behind its deadline', async () => {
    await writeFile(join(dir, 'a.txt'), 'x\n');
    const run = job(['--regexp=x'], ['./'], { deadline: performance.now() });
    expect(await output(run)).toBe('');
    expect(run.outcome).toMatchObject({ code: undefined, timedOut: true });
  });

  test('is killed by its signal', async () => {
    execFileSync('mkfifo', [join(dir, 'pipe')]);
    const controller = new AbortController();
    setTimeout(() => controller.abort(new Error('enough')), 50);
    await expect(output(job(['--regexp=x'], ['./pipe'], { signal: controller.signal }))).rejects.toThrow(
      'enough',
    );
  });

  test('is killed when its reader leaves', async () => {
    await writeFile(join(dir, 'a.txt'), 'x\n'.repeat(200_000));
    const run = job(['--regexp=x', '--line-number']);
    for await (const chunk of run) {
      expect(chunk.length).toBeGreaterThan(0);
      break;
    }
    expect(run.outcome).toBeUndefined();
  });

  test.runIf(process.platform === 'linux')(
    'a line larger than its memory ends it, and --mmap needs none',
    async () => {
      await writeFile(join(dir, 'oversized'), 'needle');
      await truncate(join(dir, 'oversized'), 600 * 1024 * 1024);
      const flags = ['--text', '--regexp=needle', '--byte-offset', '--max-columns=1'];
      const held = job([...flags, '--no-mmap'], ['./oversized']);
      expect(await output(held)).toBe('');
      expect(held.outcome).toMatchObject({ code: undefined, outOfMemory: true });
      expect(await output(job([...flags, '--mmap'], ['./oversized']))).toBe(
        '0:[Omitted long matching line]\n',
      );
    },
  );

  test('refuses a NUL character', async () => {
    await expect(output(job(['--regexp=a\0b']))).rejects.toMatchObject({ code: 'BAD_INPUT' });
  });
});

async function* chunks(...texts: string[]): AsyncGenerator<Buffer> {
  for (const text of texts) yield Buffer.from(text);
}

async function split(most: number, ...texts: string[]): Promise<string[]> {
  const found: string[] = [];
  for await (const batch of records(chunks(...texts), '\n', most)) found.push(...batch);
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

describe('utf8', () => {
  test('reads a record back, or says that it is no text', () => {
    expect(utf8('plain')).toBe('plain');
    expect(utf8(Buffer.from('naïve 日本').toString('latin1'))).toBe('naïve 日本');
    expect(utf8('\xff')).toBeUndefined();
  });
});

describe('listFiles', () => {
  beforeEach(async () => {
    await mkdir(join(dir, '.git'));
    await mkdir(join(dir, 'src'));
    await writeFile(join(dir, '.git', 'config'), '');
    await writeFile(join(dir, '.gitignore'), '*.log\n');
    await writeFile(join(dir, 'a.log'), '');
    await writeFile(join(dir, 'src', 'b.ts'), '');
    await writeFile(join(dir, 'src', 'two\nlines.ts'), '');
    await writeFile(Buffer.concat([Buffer.from(`${dir}/`), Buffer.from([0xff])]), '');
  });

  test('honours .gitignore and leaves .git out', async () => {
    expect(await listed()).toEqual(['.gitignore', 'src/b.ts', 'src/two\nlines.ts']);
  });

  test('ends after the most', async () => {
    expect(await listed({ most: 1 })).toHaveLength(1);
  });
});

describe('ripgrepPath', () => {
  test('is the binary of the package', () => {
    expect(execFileSync(ripgrepPath(), ['--version'], { encoding: 'utf8' })).toMatch(/^ripgrep \d+/);
  });

  test('on PATH only an executable file in an absolute folder counts', async () => {
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
