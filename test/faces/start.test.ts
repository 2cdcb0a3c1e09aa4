/** What a process loads before its first answer, counted in files of the package: each costs a start about 1 ms. */

import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { built } from '../support/built.ts';
import { cli } from '../support/cli.ts';
import { workspace } from '../support/workspace.ts';
import { initialize } from '../support/server.ts';

const INITIALIZE = initialize('2025-06-18');

/** What all files of the bundle share. */
const BUNDLER = 'chunks/rolldown-runtime.cjs';

/** Names of the files below the package's dist/, without the hash of their content; paths of all others. */
function loaded(args: readonly string[], input = ''): { files: string[]; out: string } {
  const { W, O, write } = workspace();
  write('f', 'one\n');
  const env = { ...process.env, NODE_V8_COVERAGE: join(O, 'coverage') };
  const { stdout } = spawnSync(process.execPath, [cli, ...args], { cwd: W, env, input, encoding: 'utf8' });
  const [report = ''] = readdirSync(join(O, 'coverage'));
  const { result } = JSON.parse(readFileSync(join(O, 'coverage', report), 'utf8')) as {
    result: { url: string }[];
  };
  const dist = `${pathToFileURL(built('')).href}/`.replace(/\/+$/, '/');
  const files = result
    .map(({ url }) => url)
    .filter((url) => url.startsWith('file:'))
    .map((url) => url.replace(dist, '').replace(/-[\w-]{8}\.cjs$/, '.cjs'));
  return { files: files.toSorted(), out: stdout };
}

test('oriel read loads few files: no schemas, no server', () => {
  const { files, out } = loaded(['read', 'f']);
  expect(out).toBe('1|one\n');
  expect(files).toEqual(['chunks/core.cjs', BUNDLER, 'faces/cli/main.js', 'faces/cli/program.cjs']);
});

test('oriel mcp answers initialize before it loads what calls need', { tags: 'slow' }, () => {
  const { files, out } = loaded(['mcp'], `${JSON.stringify(INITIALIZE)}\n`);
  expect(JSON.parse(out)).toMatchObject({ id: 0, result: { serverInfo: { name: 'oriel' } } });
  expect(files).toEqual([
    'chunks/core.cjs',
    'chunks/mcp.cjs',
    BUNDLER,
    'chunks/tools.cjs',
    'faces/cli/main.js',
    'faces/cli/program.cjs',
  ]);
});

test('a start keeps its code for the next one, unless others could write it', () => {
  const { W, O, write } = workspace();
  write('f', 'one\n');
  const env = { ...process.env, XDG_CACHE_HOME: O };
  const directory = join(O, 'oriel/code');
  const read = (...options: readonly string[]): string =>
    spawnSync(process.execPath, [cli, 'read', 'f', ...options], { cwd: W, env, encoding: 'utf8' }).stdout;
  expect([read('--no-cache'), existsSync(directory)]).toEqual(['1|one\n', false]);
  expect(read()).toBe('1|one\n');
  const [name = '', ...others] = readdirSync(directory);
  expect([name.endsWith('-read'), others]).toEqual([true, []]);
  const path = join(directory, name);
  const made = lstatSync(path);
  expect([read(), lstatSync(path).ino, made.mode & 0o777]).toEqual(['1|one\n', made.ino, 0o600]);
  const code = readFileSync(path);
  writeFileSync(path, code.subarray(0, 5_000));
  expect([read(), lstatSync(path).size > 100_000]).toEqual(['1|one\n', true]);
  for (const part of [0, 0.1, 0.4, 0.5, 0.7, 0.99]) {
    const damaged = Buffer.from(code);
    const at = Math.floor(part * code.length);
    damaged.fill(0, at, at + 4_096);
    writeFileSync(path, damaged);
    expect(read(), `damaged after ${part}`).toBe('1|one\n');
  }
  if (process.platform !== 'win32') {
    unlinkSync(path);
    spawnSync('mkfifo', ['-m', '600', path]);
    expect([read(), lstatSync(path).isFile()]).toEqual(['1|one\n', true]);
  }
  chmodSync(path, 0o666);
  expect([read(), lstatSync(path).mode & 0o777]).toEqual(['1|one\n', 0o600]);
});

test('a directory of kept code that is a link to another one is left alone', () => {
  const { W, O, write } = workspace();
  write('f', 'one\n');
  write('mine/old', 'dear\n');
  utimesSync(join(W, 'mine/old'), 0, 0);
  mkdirSync(join(O, 'oriel'));
  symlinkSync(join(W, 'mine'), join(O, 'oriel/code'));
  const env = { ...process.env, XDG_CACHE_HOME: O };
  const { stdout } = spawnSync(process.execPath, [cli, 'read', 'f'], { cwd: W, env, encoding: 'utf8' });
  expect([stdout, readdirSync(join(W, 'mine'))]).toEqual(['1|one\n', ['old']]);
});

test.runIf(process.platform === 'linux')('a cache where nothing can be made does not hold a start', () => {
  const { W, write } = workspace();
  write('f', 'one\n');
  const env = { ...process.env, XDG_CACHE_HOME: '/proc' };
  const options = { cwd: W, env, encoding: 'utf8', timeout: 30_000, killSignal: 'SIGKILL' } as const;
  const { stdout, signal } = spawnSync(process.execPath, [cli, 'read', 'f'], options);
  expect([stdout, signal]).toEqual(['1|one\n', null]);
});
