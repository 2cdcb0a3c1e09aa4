import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type Dirent, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cli as main, run } from '../../support/cli.ts';
import { living, nap, temporaryFolder } from '../../support/commands.ts';

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function cli(args: string[], cwd: string, cache: string): Promise<Ran> {
  return new Promise((resolve) => {
    const env = { ...process.env, XDG_CACHE_HOME: cache };
    const child = execFile(process.execPath, [main, ...args], { cwd, env }, (_, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, stdout, stderr }),
    );
  });
}

test('runs a command and prints its output', { tags: 'slow' }, async () => {
  const ran = await cli(['bash', 'echo hi; pwd'], temporaryFolder(), temporaryFolder());
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  expect(ran.stdout).toMatch(/^hi\n\/.*\n$/);
});

test('several operands are joined to one command', async () => {
  const ran = await cli(['bash', '--', 'echo', '-n', 'a b'], temporaryFolder(), temporaryFolder());
  expect(ran.stdout).toBe('a b\n');
});

test('a failing command keeps its output', async () => {
  const ran = await cli(['bash', 'echo hi; exit 3'], temporaryFolder(), temporaryFolder());
  expect(ran).toEqual({ code: 3, stdout: 'hi\nCommand exited with code 3\n', stderr: '' });
});

test('a timeout can be set', { tags: 'slow' }, async () => {
  const ran = await cli(['bash', '--timeout', '0.3', 'sleep 60'], temporaryFolder(), temporaryFolder());
  expect(ran).toEqual({ code: 124, stdout: 'Command timed out after 0.3 seconds\n', stderr: '' });
});

test('nothing to run', () => {
  const err = "oriel: Nothing to run. Use oriel bash 'COMMAND'.\n";
  expect(run(['bash'])).toEqual({ out: '', err, code: 125 });
});

test('a kept output is read later only in its directory', { tags: 'slow' }, async () => {
  const [folder, other, cache] = [temporaryFolder(), temporaryFolder(), temporaryFolder()];
  const ran = await cli(['bash', 'seq 5000'], folder, cache);
  expect(ran.stdout).toContain('Use artifact://1:-3000@13893 to continue backwards]\n');
  const read = await cli(['read', 'artifact://1:7..8'], folder, cache);
  expect(read.stdout).toBe('7|7\n8|8\n');
  const elsewhere = await cli(['read', 'artifact://1:7..8'], other, cache);
  expect(elsewhere).toEqual({
    code: 2,
    stdout: '',
    stderr:
      'oriel: There is no artifact://1. No output has been kept. Use . to list the working directory.\n',
  });
});

test('nothing else is left on the disk', async () => {
  const [folder, cache] = [temporaryFolder(), temporaryFolder()];
  await cli(['bash', 'echo hi'], folder, cache);
  expect(readdirSync(folder)).toEqual([]);
  const files = readdirSync(join(cache, 'oriel'), { recursive: true, withFileTypes: true });
  // Only the compiled code of oriel itself.
  const isOwn = ({ parentPath }: Dirent): boolean => parentPath.endsWith('oriel/code');
  expect(files.filter((entry) => !entry.isDirectory() && !isOwn(entry))).toEqual([]);
});

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)('B15 %s ends the command with all its processes', { tags: 'slow' }, async (signal, code) => {
  const marker = nap(code);
  const child = spawn(process.execPath, [main, 'bash', `echo before; setsid ${marker}1 & ${marker}2`], {
    cwd: temporaryFolder(),
    env: { ...process.env, XDG_CACHE_HOME: temporaryFolder() },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let stdout = '';
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  while (living(marker).length < 3) await new Promise((resolve) => setTimeout(resolve, 20));
  child.kill(signal);
  await once(child, 'close');
  expect(child.exitCode).toBe(code);
  expect(stdout).toBe('before\nCommand was cancelled\n');
  expect(living(marker)).toEqual([]);
});

test('a timeout that is no number is named as typed', { tags: 'slow' }, () => {
  for (const given of ['soon', '0', '-1', '']) {
    expect(run(['bash', `--timeout=${given}`, 'true'])).toEqual({
      out: '',
      err: `oriel: --timeout takes seconds above 0, not ${given}. Use --timeout 120.\n`,
      code: 125,
    });
  }
});

test('a directory outside the roots: an option names one inside', { tags: 'slow' }, async () => {
  const [outside, inside, cache] = [temporaryFolder(), temporaryFolder(), temporaryFolder()];
  const ran = await cli(['bash', '--root', inside, 'pwd'], outside, cache);
  expect([ran.code, ran.stderr]).toEqual([
    125,
    `oriel: . lies outside the directories that may be read. Use cwd ${inside}. Command: oriel bash --root ${inside} --cwd ${inside} pwd\n`,
  ]);
  const again = await cli(['bash', '--root', inside, '--cwd', inside, 'pwd'], outside, cache);
  expect([again.code, again.stdout]).toEqual([0, `${inside}\n`]);
});
