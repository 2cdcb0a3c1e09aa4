/** Which flags confine a child process. That they work is tested in isolate-pool.test.ts. */

import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { confinedCommand } from '../../src/process/confinement.ts';

let root: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'oriel-')));
});

afterEach(() => {
  vi.unstubAllGlobals();
  rmSync(root, { recursive: true });
});

/** Makes these directories and files, and links of the form `name -> target`. */
function make(...paths: string[]): void {
  for (const path of paths) {
    const [name = '', target] = path.split(' -> ');
    mkdirSync(join(root, name, '..'), { recursive: true });
    if (target !== undefined) symlinkSync(join(root, target), join(root, name));
    else if (name.endsWith('/')) mkdirSync(join(root, name), { recursive: true });
    else writeFileSync(join(root, name), '');
  }
}

/** What a child with this entry may read, below the root. */
function readable(entry: string): string[] {
  const start = `--allow-fs-read=${root}/`;
  return confinedCommand(join(root, entry))
    .filter((flag) => flag.startsWith(start))
    .map((flag) => flag.slice(start.length));
}

test.each([
  ['its own directory without a package', ['a/code/'], 'a/code/child.js', ['a/code/']],
  ['its package', ['a/package.json', 'a/code/x/'], 'a/code/x/child.js', ['a/']],
  ['not the package around it', ['package.json', 'a/package.json', 'a/x/'], 'a/x/child.js', ['a/']],
  [
    'its packages, and those of the directories above',
    ['node_modules/', 'a/package.json', 'a/node_modules/', 'a/dist/node_modules/', 'b/node_modules/'],
    'a/dist/child.js',
    ['a/dist/node_modules/', 'a/', 'a/node_modules/', 'node_modules/'],
  ],
  [
    'the packages among which it is installed, once',
    ['node_modules/oriel/package.json', 'node_modules/oriel/dist/'],
    'node_modules/oriel/dist/child.js',
    ['node_modules/oriel/', 'node_modules/'],
  ],
  [
    'where links lead, too',
    ['elsewhere/', 'a/package.json', 'a/node_modules -> elsewhere', 'a/dist/'],
    'a/dist/child.js',
    ['a/', 'a/node_modules/', 'elsewhere/'],
  ],
])('%s', (_, paths, entry, expected) => {
  make(...paths);
  expect(readable(entry)).toEqual(expected);
});

test.each([
  [['--permission', '--experimental-permission'], '--permission'],
  [['--experimental-permission'], '--experimental-permission'],
])('a Node with the flags %j', (flags, expected) => {
  vi.stubGlobal(
    'process',
    Object.create(process, { allowedNodeEnvironmentFlags: { value: new Set(flags) } }),
  );
  make('a/package.json');
  expect(confinedCommand(join(root, 'a/child.js'))).toEqual([
    expected,
    '--allow-addons',
    `--allow-fs-read=${root}/a/`,
    ...confinedCommand(join(root, 'a/child.js')).slice(3),
  ]);
});

test('a Node without permissions confines nothing', () => {
  vi.stubGlobal('process', Object.create(process, { allowedNodeEnvironmentFlags: { value: new Set() } }));
  expect(confinedCommand(join(root, 'a/child.js'))).toEqual([]);
});
