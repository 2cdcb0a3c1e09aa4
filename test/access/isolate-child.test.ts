import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { ChildFailure, type ChildTask, runChild } from '../../src/access/isolate-child.ts';
import { temporaryFolder } from '../support/open-source.ts';

const MIB = 1 << 20;

/** Runs a child that consists of `code`. */
async function run(code: string, task: Partial<ChildTask> = {}): Promise<Buffer> {
  const path = join(await temporaryFolder(), 'child.mjs');
  await writeFile(path, code);
  return runChild({
    entry: pathToFileURL(path),
    args: [],
    input: pieces(0),
    maxOutput: MIB,
    maxMemory: 1024 * MIB,
    signal: new AbortController().signal,
    ...task,
  });
}

async function* pieces(count: number): AsyncGenerator<Uint8Array> {
  for (let index = 0; index < count; index++) yield Buffer.alloc(MIB, index);
}

const echo = 'process.stdin.pipe(process.stdout)';

describe('a child', () => {
  test('gets its input and answers', async () => {
    const output = await run(echo, { input: pieces(3), maxOutput: 3 * MIB });
    expect(output.equals(Buffer.concat([0, 1, 2].map((fill) => Buffer.alloc(MIB, fill))))).toBe(true);
  });

  test('gets its arguments, and nothing of ours', async () => {
    process.env['ORIEL_TEST_SECRET'] = 'secret';
    const output = await run(
      'console.log(JSON.stringify([process.argv.slice(2), process.cwd(), Object.keys(process.env)]))',
      { args: ['{"a":1}', '--b'] },
    );
    delete process.env['ORIEL_TEST_SECRET'];
    expect(JSON.parse(output.toString())).toEqual([['{"a":1}', '--b'], '/', ['MALLOC_ARENA_MAX']]);
  });

  test('may answer before it has read everything', async () => {
    expect((await run('console.log("enough"); process.exit(0)', { input: pieces(50) })).toString()).toBe(
      'enough\n',
    );
  });
});

describe('a child that fails', () => {
  test.each<[string, string, Partial<ChildTask>, ChildFailure['why']]>([
    ['exits with another code', 'process.exitCode = 3', {}, 'crashed'],
    ['is killed', 'process.kill(process.pid, "SIGKILL")', {}, 'crashed'],
    [
      'says too much',
      `import { writeSync } from 'node:fs'; for (;;) writeSync(1, 'x'.repeat(65536))`,
      {},
      'output',
    ],
    [
      'takes too much memory',
      'const held = []; setInterval(() => held.push(Buffer.alloc(1e7, 1)))',
      { maxMemory: 200 * MIB },
      'memory',
    ],
  ])('%s', async (_, code, task, why) => {
    const failure: unknown = await run(code, task).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ChildFailure);
    expect(failure).toMatchObject({ why });
  });

  test("its input fails: the failure is the reader's", async () => {
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield Buffer.alloc(10);
      throw new Error('the source is gone');
    }
    await expect(run(echo, { input: broken() })).rejects.toThrow('the source is gone');
  });
});

describe('a cancelled child', () => {
  test('is never started', async () => {
    await expect(run(echo, { signal: AbortSignal.abort(new Error('too late')) })).rejects.toThrow('too late');
  });

  test('is dead when the promise settles, though it ignores every signal it can', async () => {
    const cancel = new AbortController();
    const code =
      'for (const s of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(s, () => {}); console.log(process.pid); setInterval(() => {}, 1e3)';
    let pid = 0;
    const folder = await temporaryFolder();
    const note = join(folder, 'pid');
    const running = run(
      `import { writeFileSync } from 'node:fs'; writeFileSync(${JSON.stringify(note)}, String(process.pid)); ${code}`,
      {
        signal: cancel.signal,
      },
    ).catch((error: unknown) => error);
    await expect
      .poll(async () => (pid = Number(await readText(note))), { timeout: 10_000 })
      .toBeGreaterThan(0);
    cancel.abort(new Error('enough'));
    expect(await running).toMatchObject({ message: 'enough' });
    expect(isAlive(pid)).toBe(false);
  });
});

async function readText(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '');
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
