/** The options of `oriel check`, its end by a signal, and a server that does not start. */

import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cases } from '../../../packages/check/src/cases.ts';
import { checkProgress } from '../../../packages/check/src/index.ts';
import { cli, run as runProcess } from '../../support/cli.ts';
import { temporaryFolder } from '../../support/commands.ts';
import { run } from '../../support/warm-cli.ts';

const fileServer = resolve('test/support/file-server.mjs');
const server = ['--', process.execPath, fileServer, 'none'];
const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

test('--case tries only the named cases, in report order', { tags: 'slow' }, () => {
  const { out, err, code } = run(['check', '--case', 'nul', '--case=missing', ...server]);
  expect(out).toBe(
    [
      'read: read_file(path); list: list_directory(path)',
      '',
      'held     errors  missing  a file that does not exist',
      'held     errors  nul      a path with a NUL byte',
      '',
      '2 held, 0 broken, 0 skipped',
      '',
    ].join('\n'),
  );
  expect([err, code]).toEqual(['', 0]);
});

test('an unknown case is refused with the list of all', { tags: 'slow' }, () => {
  expect(run(['check', '--case', 'nil\u001b', ...server])).toEqual({
    out: '',
    err: `oriel: There is no case nil\\x1b. Use one of ${cases.map(({ id }) => id).join(', ')}.\n`,
    code: 2,
  });
});

test('--keep leaves files of the last case, and says where', { tags: 'slow' }, () => {
  const tmp = temporaryFolder();
  const env = { ...process.env, TMPDIR: tmp };
  const kept = runProcess(['check', '--json', '--keep', '--case', 'phantom-line', ...server], { env });
  const directory = /^oriel: The files of the check are kept in (.+)\n$/.exec(kept.err)?.[1] as string;
  expect(dirname(directory)).toBe(tmp);
  expect(readdirSync(join(directory, 'work')).toSorted()).toEqual(['plain.txt', 'three.txt']);
  expect(JSON.parse(kept.out)).toMatchObject({ held: 1, left: 0 });
  rmSync(directory, { recursive: true });
  runProcess(['check', '--case', 'phantom-line', ...server], { env });
  expect(readdirSync(tmp)).toEqual([]);
});

test('--location is for SARIF', () => {
  expect(run(['check', '--location', 'a', ...server])).toMatchObject({
    err: 'oriel: Only SARIF has a location. Add --sarif, or leave out --location.\n',
    code: 2,
  });
});

describe('a server that does not start', () => {
  test('is reported with the escaped end of its stderr', { tags: 'slow' }, () => {
    const script = `console.error('x'.repeat(9000)); for (const i of [1, 2, 3, 4, 5, 6, 7]) console.error('line ' + i + '\\x1b[2J'); process.exitCode = 3`;
    const lines = [1, 2, 3, 4, 5, 6, 7].map((i) => String.raw`line ${i}\x1b[2J`);
    expect(run(['check', '--', process.execPath, '-e', script])).toEqual({
      out: '',
      err: `oriel: ${process.execPath} is not an MCP server that could be started. It wrote: ${'x'.repeat(200)}… | ${lines.join(' | ')}. Use oriel check -- COMMAND, with {} for the directory that it may read.\n`,
      code: 2,
    });
  });

  test('whose argument is longer than a file name is reported', { tags: 'slow' }, () => {
    const long = 'a'.repeat(300);
    expect(run(['check', '--', long])).toEqual({
      out: '',
      err: `oriel: ${'a'.repeat(200)}… is not an MCP server that could be started. Use oriel check -- COMMAND, with {} for the directory that it may read.\n`,
      code: 2,
    });
  });

  test('because its file is named without ./ is explained', { tags: 'slow' }, () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'bad.mjs'), '');
    mkdirSync(join(cwd, 'mcp'));
    expect(run(['check', '--', process.execPath, 'bad.mjs', 'mcp'], { cwd }).err).toMatch(
      /^oriel: .* Cannot find module .* It runs in another directory than this one, which has a file bad\.mjs: write \.\/bad\.mjs\. Use oriel check -- COMMAND, with/,
    );
  });
});

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)(
  '%s ends the server, removes files and reports findings',
  { tags: 'slow' },
  async (signal, code) => {
    const tmp = temporaryFolder();
    const marks = temporaryFolder();
    // The second case hangs until the signal.
    const hangs = join(temporaryFolder(), 'hangs.mjs');
    writeFileSync(
      hangs,
      `import { writeFileSync } from 'node:fs';
    await import(${JSON.stringify(fileServer)});
    process.stdin.prependListener('data', (chunk) => {
      if (!String(chunk).includes('plain.txt\\\\u0000')) return;
      process.stdout.write = () => true;
      writeFileSync(${JSON.stringify(marks)} + '/' + process.pid, '');
    });`,
    );
    const args = ['check', '--case', 'missing', '--case', 'nul', '--case', 'controls', '--'];
    const child = spawn(process.execPath, [cli, ...args, process.execPath, hangs], {
      env: { ...process.env, TMPDIR: tmp },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [out, err] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
    const ended = new Promise((done) => void child.once('close', done));
    await expect.poll(() => readdirSync(marks)).toHaveLength(1);
    child.kill(signal);
    expect(await ended).toBe(code);
    expect([out, err]).toEqual([
      [
        'read: read_file(path); list: list_directory(path)',
        '',
        'held     errors  missing  a file that does not exist',
        '',
        '1 held, 0 broken, 0 skipped; stopped before 2 more',
        '',
      ].join('\n'),
      '',
    ]);
    expect(readdirSync(tmp)).toEqual([]);
    expect(isRunning(Number(readdirSync(marks)[0]))).toBe(false);
  },
);

test('a signal ends a server that does not list tools', { tags: 'slow' }, async () => {
  const tmp = temporaryFolder();
  const marks = temporaryFolder();
  const hostile = resolve('test/support/hostile-checked-server.mjs');
  const child = spawn(
    process.execPath,
    [cli, 'check', '--', process.execPath, hostile, 'never lists', marks],
    {
      env: { ...process.env, TMPDIR: tmp },
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  );
  let out = '';
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  const ended = new Promise((done) => void child.once('close', done));
  await expect.poll(() => readdirSync(marks)).toEqual(['asked']);
  child.kill('SIGINT');
  expect(await ended).toBe(130);
  const left = `0 held, 0 broken, 0 skipped; stopped before ${cases.length} more`;
  expect(out).toBe(['stopped before a tool was called', '', '', left, ''].join('\n'));
  expect(readdirSync(tmp)).toEqual([]);
});

test('each case is shown as it ends on a terminal', () => {
  const written: string[] = [];
  const figures = { ms: 0, bytes: 0, memoryMb: 0 };
  const all = (isTTY: boolean): string => {
    written.length = 0;
    const progress = checkProgress({ isTTY, write: (text: string) => written.push(text) > 0 }, 2);
    progress.begins('nul');
    progress.ended({ id: 'nul', law: 'errors', title: '', verdict: 'broken', figures });
    progress.begins('fifo');
    progress.clear();
    return written.join('');
  };
  const on = '\r\u001b[K';
  expect(all(true)).toBe(`${on}starting the server…${on}1/2 nul…${on}1/2 nul: BROKEN\n${on}2/2 fifo…${on}`);
  expect(all(false)).toBe('');
});
