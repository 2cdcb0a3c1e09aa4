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
import { join, relative, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

const project = mkdtempSync(join(tmpdir(), 'oriel-build-'));
const dist = join(project, 'dist');

beforeAll(() => {
  for (const name of [
    'src',
    'packages',
    'scripts',
    'packaging',
    'LICENSE',
    'package.json',
    'tsconfig.json',
  ]) {
    cpSync(name, join(project, name), { recursive: true });
  }
  symlinkSync(resolve('node_modules'), join(project, 'node_modules'));
  // Most of a build is the check of the types.
  configure({ compilerOptions: { noCheck: true } });
});
afterAll(() => rmSync(project, { recursive: true, force: true }));

/** Changes how declarations are built. */
function configure(changes: {
  readonly compilerOptions?: object;
  readonly include?: readonly string[];
}): void {
  const config = JSON.parse(readFileSync('tsconfig.build.json', 'utf8')) as { compilerOptions: object };
  const compilerOptions = { ...config.compilerOptions, ...changes.compilerOptions };
  writeFileSync(
    join(project, 'tsconfig.build.json'),
    JSON.stringify({ ...config, ...changes, compilerOptions }),
  );
}

async function build(...args: readonly string[]): Promise<{ code: number; said: string }> {
  const child = spawn(process.execPath, ['scripts/build.mjs', ...args], { cwd: project });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (said += chunk));
  const [code] = (await once(child, 'close')) as [number];
  return { code, said };
}

/** Name and inode of everything in a directory. */
function files(directory = dist): string[] {
  const paths = readdirSync(directory, { recursive: true, encoding: 'utf8' });
  return ['.', ...paths].map((path) => `${path} ${statSync(join(directory, path)).ino}`).toSorted();
}

const read = (path: string): string => readFileSync(join(project, path), 'utf8');

test('concurrent builds leave whole equal builds, whoever holds a lock', async () => {
  mkdirSync(dist);
  writeFileSync(join(dist, 'of the last build'), '');
  mkdirSync(join(project, '.build/999999999/dist'), { recursive: true });
  mkdirSync(join(project, '.build/tests'));
  symlinkSync(String(process.pid), join(project, '.build/tests/other.lock'));
  const built = { code: 0, said: '' };
  expect(await Promise.all([build(), build('--once', '.build/tests/own')])).toEqual([built, built]);
  expect(existsSync(join(dist, 'of the last build'))).toBe(false);
  const chunks = readdirSync(join(dist, 'chunks')).filter((name) => name.startsWith('list-commands-'));
  expect(chunks).toHaveLength(1);
  expect(readdirSync(join(project, '.build'))).toEqual(['tests']);
  expect(readdirSync(project).toSorted()).toEqual(
    (
      '.build LICENSE dist node_modules package.json packages packaging scripts src ' +
      'tsconfig.build.json tsconfig.json'
    ).split(' '),
  );
  const own = join(project, '.build/tests/own/dist');
  const made = readdirSync(own, { recursive: true, encoding: 'utf8', withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(own, join(entry.parentPath, entry.name)));
  expect(made).toContain('index.js');
  const others = made.filter((path) => !readFileSync(join(own, path)).equals(readFileSync(join(dist, path))));
  expect(others).toEqual([]);
  rmSync(join(project, '.build/tests'), { recursive: true });
});

test('the build has every file of package.json, and declarations', () => {
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

/** Replaces the build by the one in `fresh`, in a process of its own. */
async function swap(fresh: string): Promise<void> {
  const script = `(await import('./scripts/swap.mjs')).swap('${fresh}', 'dist', 'old-${fresh}');`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    cwd: project,
    stdio: 'inherit',
  });
  expect(await once(child, 'close')).toEqual([0, null]);
}

test('a build without changes leaves every file in place', async () => {
  cpSync(dist, join(project, 'same'), { recursive: true });
  const before = files();
  await swap('same');
  expect(files()).toEqual(before);
  expect(existsSync(join(project, 'same'))).toBe(false);
});

test('a failed build says why and keeps the last one', async () => {
  const before = files();
  writeFileSync(join(project, 'src/wrong.ts'), 'export const text: string = 7;\n');
  configure({ include: ['src/wrong.ts'] });
  const { code, said } = await build();
  expect(code).toBe(1);
  expect(said).toContain("Type 'number' is not assignable to type 'string'");
  expect(files()).toEqual(before);
  expect(readdirSync(join(project, '.build'))).toEqual([]);
});
