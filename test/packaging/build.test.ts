/**
 * The build script, run in a copy of the project.
 *
 * @module-tag slow
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

const project = mkdtempSync(join(tmpdir(), 'oriel-build-'));
const dist = join(project, 'dist');

beforeAll(async () => {
  for (const name of ['src', 'scripts', 'package.json', 'tsconfig.json', 'tsconfig.build.json']) {
    cpSync(name, join(project, name), { recursive: true });
  }
  symlinkSync(resolve('node_modules'), join(project, 'node_modules'));
  expect(await build()).toEqual({ code: 0, said: '' });
}, 120_000);
afterAll(() => rmSync(project, { recursive: true, force: true }));

async function build(...args: readonly string[]): Promise<{ code: number; said: string }> {
  const child = spawn(process.execPath, ['scripts/build.mjs', ...args], { cwd: project });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (said += chunk));
  const [code] = (await once(child, 'close')) as [number];
  return { code, said };
}

function edit(path: string, from: string, to: string): void {
  const file = join(project, path);
  const text = readFileSync(file, 'utf8');
  expect(text).toContain(from);
  writeFileSync(file, text.replace(from, to));
}

/** Name and inode of everything in the build. */
function files(): string[] {
  const paths = readdirSync(dist, { recursive: true }) as string[];
  return ['.', ...paths].map((path) => `${path} ${statSync(join(dist, path)).ino}`).toSorted();
}

test('the build has every file that package.json names, and its declarations', () => {
  const { exports, bin, man } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    exports: Record<string, string | Record<string, string>>;
    bin: Record<string, string>;
    man: string[];
  };
  const targets = Object.values(exports).flatMap((target) =>
    Object.values(target).filter((path) => path.length > 1),
  );
  const named = [...targets, ...Object.values(bin), ...man].filter((path) => path.startsWith('./dist'));
  expect(named.length).toBeGreaterThan(18);
  expect(named.filter((path) => !existsSync(join(project, path)))).toEqual([]);
  const types = named.filter((path) => path.endsWith('.d.ts'));
  const bare = types.filter((path) => !read(path).startsWith('/// <reference types="node" />\n'));
  expect([types.length > 10, bare]).toEqual([true, []]);
});

const read = (path: string): string => readFileSync(join(project, path), 'utf8');

test('a build begins while another one holds its lock', { timeout: 120_000 }, async () => {
  mkdirSync(join(project, '.build/tests'), { recursive: true });
  symlinkSync(String(process.pid), join(project, '.build/tests/other.lock'));
  expect(await build('--once', '.build/tests/own')).toEqual({ code: 0, said: '' });
  expect(existsSync(join(project, '.build/tests/own/dist/index.js'))).toBe(true);
  rmSync(join(project, '.build'), { recursive: true });
});

test('a build without changes leaves every file in place', { timeout: 120_000 }, async () => {
  const before = files();
  expect(await build()).toEqual({ code: 0, said: '' });
  expect(files()).toEqual(before);
});

test('builds at the same time leave one whole build and nothing else', { timeout: 120_000 }, async () => {
  edit('src/faces/cli/list-commands.ts', 'list one directory', 'list a single directory');
  mkdirSync(join(project, '.build/999999999/dist'), { recursive: true });
  const built = { code: 0, said: '' };
  expect(await Promise.all([build(), build()])).toEqual([built, built]);
  expect(readFileSync(join(dist, 'oriel.1'), 'utf8')).toContain('list a single directory');
  const chunks = readdirSync(join(dist, 'chunks')).filter((name) => name.startsWith('list-commands-'));
  expect(chunks).toHaveLength(1);
  expect(readdirSync(join(project, '.build'))).toEqual([]);
  expect(readdirSync(project).toSorted()).toEqual([
    '.build',
    'dist',
    'node_modules',
    'package.json',
    'scripts',
    'src',
    'tsconfig.build.json',
    'tsconfig.json',
  ]);
});

test('a build that fails says why and leaves the last one as it is', { timeout: 120_000 }, async () => {
  const before = files();
  edit('src/faces/cli/list-commands.ts', "'ls'", '7');
  const { code, said } = await build();
  expect(code).toBe(1);
  expect(said).toContain("Type 'number' is not assignable to type 'string'");
  expect(files()).toEqual(before);
  expect(readdirSync(join(project, '.build'))).toEqual([]);
});
