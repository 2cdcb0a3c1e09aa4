/** A server must not load a module for the first time when descriptors are short. */

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { languages } from '../../src/code/languages.ts';

/** Loaded in threads and children of their own, which a call may lose. */
const ISOLATED =
  /(?:-worker|-child|-realm)\.ts$|\/(?:worker|child)\/|\/(?:archive\/decoders|data\/table)\.ts$/;

test('a server preloads every lazily loaded module of the engine', () => {
  const listed = new Set(importsOf('src/call/preload.ts'));
  const late = ['src/call', 'src/search', 'src/walk', 'src/target', 'src/code', 'src/formats']
    .flatMap((folder) =>
      (readdirSync(folder, { recursive: true }) as string[]).map((name) => join(folder, name)),
    )
    .filter((path) => path.endsWith('.ts') && !ISOLATED.test(path) && !path.endsWith('languages.ts'))
    .flatMap(importsOf);
  expect([...new Set(late)].filter((target) => !listed.has(target))).toEqual([]);
  expect(languages.some(({ scanner }) => scanner)).toBe(true);
});

/** Targets of `await import('…')`: paths from the root of the repository, or names of packages. */
function importsOf(path: string): string[] {
  return Array.from(
    readFileSync(path, 'utf8').matchAll(/(?<!typeof )import\('([^']+)'\)/g),
    ([, target = '']) => (target.startsWith('.') ? join(dirname(path), target) : target),
  ).filter((target) => !target.startsWith('node:'));
}
