import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { closeSparePipes } from '../../src/access/fifo.ts';
import { startShell } from '../../src/access/process.ts';
import { createOriel } from '../../src/oriel.ts';
import { builtUrl } from '../support/built.ts';
import { bench, living, shown, temporaryFolder } from '../support/commands.ts';

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
  test('a command runs all the same', async () => {
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

  test('a flood is held up until it is written', async () => {
    onlyPrograms('bash', 'seq');
    const result = await bench().run('seq 3000000');
    expect(result.streams).toMatchObject([
      { bytes: 22_888_896, lines: 3_000_000, spill: { bytes: 22_888_896 } },
    ]);
  });
});

test('the pipes of six short commands are made by one process', async () => {
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
  for (let i = 0; i < 3; i += 1) expect(shown(await run('echo hi'))).toBe('hi\n');
  expect(readFileSync(log, 'utf8')).toBe('made\n');
  for (let i = 0; i < 3; i += 1) expect(shown(await run('echo hi'))).toBe('hi\n');
  // The next ones were made beside the fourth command, and nobody waited for them.
  await expect.poll(() => readFileSync(log, 'utf8')).toBe('made\nmade\n');
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

test('a process that exits takes its commands with it', async () => {
  const code = `import { createOriel } from ${JSON.stringify(builtUrl('index.js').href)};
    const command = 'sleep 740.1 & setsid sleep 740.2 & echo started; sleep 740.3';
    const onProgress = () => process.exit(7);
    createOriel({ spills: { state: ${JSON.stringify(temporaryFolder())} } }).tool('bash').run({ command }, { onProgress });`;
  const host = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: 'inherit' });
  const [exitCode] = (await once(host, 'exit')) as [number];
  expect(exitCode).toBe(7);
  await expect.poll(() => living('sleep 740').filter((line) => line.startsWith('sleep'))).toEqual([]);
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

test('no pipe and no descriptor is left behind', async () => {
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

test('a taker that asks for a pause gets nothing until it is over', async () => {
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
