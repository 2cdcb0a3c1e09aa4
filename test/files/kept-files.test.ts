/** Which directories private files may be in, and which files are kept from clients that have roots. */

import {
  chmodSync,
  chownSync,
  fstatSync,
  lchownSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import {
  cachePath,
  isKept,
  isPrivateDirectory,
  isTrusted,
  keepFileFromClients,
  keepFromClients,
  keptFromClients,
  PRIVATE_FILE,
  privateDirectory,
  temporaryPath,
  trustedDirectory,
} from '../../src/files/kept-files.ts';

function temporary(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'oriel-private-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test('a place is kept by real path before it exists', () => {
  const folder = temporary();
  mkdirSync(join(folder, 'real'));
  symlinkSync('real', join(folder, 'link'));
  keepFromClients(join(folder, 'link', 'later', 'cache'));
  const place = join(folder, 'real', 'later', 'cache');
  const keptFrom = (...roots: string[]): string[] =>
    keptFromClients(roots).places.filter((path) => path.startsWith(folder));
  expect(keptFrom(folder)).toStrictEqual([place]);
  expect(keptFrom(folder, join(place, 'own'))).toStrictEqual([]);
  expect(keptFrom(place)).toStrictEqual([]);
  expect(keptFromClients([]).places).toStrictEqual([]);
});

test('a file is kept by path and, open, by inode', () => {
  const folder = temporary();
  const path = join(folder, 'token');
  writeFileSync(path, 'secret');
  const stats = statSync(path);
  const fd = openSync(path, 'r');
  keepFileFromClients(path, fd, stats);
  expect(keptFromClients([folder]).places.filter((kept) => kept.startsWith(folder))).toStrictEqual([path]);
  expect([isKept(keptFromClients([folder]), stats), isKept(keptFromClients([]), stats)]).toEqual([
    true,
    false,
  ]);
  expect(() => fstatSync(fd)).not.toThrow();
  // A second descriptor of the same file is not needed.
  const second = openSync(path, 'r');
  keepFileFromClients(path, second, stats);
  expect(() => fstatSync(second)).toThrow('EBADF');
});

test.skipIf(process.platform !== 'linux')('every process knows files of oriel by their mark', () => {
  const folder = temporary();
  const own = privateDirectory(join(folder, 'own'));
  writeFileSync(join(own, 'output'), 'output', { mode: PRIVATE_FILE });
  linkSync(join(own, 'output'), join(folder, 'link'));
  writeFileSync(join(folder, 'file'), 'text', { mode: 0o600 });
  mkdirSync(join(folder, 'directory'), { mode: 0o700 });
  mkdirSync(join(folder, 'shared'));
  chmodSync(join(folder, 'shared'), 0o1777);
  const names = ['own', 'own/output', 'link', 'file', 'directory', 'shared'];
  const keptFrom = (roots: readonly string[]): string[] =>
    names.filter((name) => isKept(keptFromClients(roots), statSync(join(folder, name))));
  expect(keptFrom([folder])).toEqual(['own', 'own/output', 'link']);
  expect(keptFrom([])).toEqual([]);
  // Whoever chooses a directory of oriel as a root wants to see it.
  keepFromClients(own);
  expect(keptFrom([own])).toEqual([]);
});

const isRoot = process.getuid?.() === 0;
const OTHER = 1_234;

test('the path of a trusted directory is checked, or made', () => {
  const folder = temporary();
  mkdirSync(join(folder, 'a/b'), { recursive: true });
  symlinkSync('a', join(folder, 'relative'));
  symlinkSync(join(folder, 'relative/b/../b'), join(folder, 'absolute'));
  expect(trustedDirectory(join(folder, 'absolute'))).toBe(join(folder, 'a/b'));
  expect(trustedDirectory(join(folder, 'absolute/c/d'), 0o700)).toBe(join(folder, 'a/b/c/d'));
  expect(statSync(join(folder, 'a/b/c')).mode & 0o777).toBe(0o700);
  expect(() => trustedDirectory(join(folder, 'missing'))).toThrow('ENOENT');
  expect(() => trustedDirectory('/proc/none/x', 0o700)).toThrow("mkdir '/proc/none'");
  symlinkSync('loop', join(folder, 'loop'));
  expect(() => trustedDirectory(join(folder, 'loop'))).toThrow('leads into a loop of links');
  writeFileSync(join(folder, 'file'), '');
  expect(() => trustedDirectory(join(folder, 'file'), 0o700)).toThrow('is not a directory');
});

/** Each gives the directory `own/deep` to others, or what leads to it. */
type Exposed = readonly [string, boolean, (own: string) => void];

const EXPOSED: readonly Exposed[] = [
  ['that everybody may write', true, (own) => chmodSync(own, 0o777)],
  ['below one that everybody may write', true, (own) => chmodSync(dirname(own), 0o777)],
  ['with the sticky bit', false, (own) => chmodSync(own, 0o1777)],
  ...(isRoot
    ? ([
        ['of another account', true, (own) => chownSync(own, OTHER, OTHER)],
        [
          'of another account with the sticky bit',
          true,
          (own) => (chmodSync(own, 0o1777), chownSync(own, OTHER, 0)),
        ],
        ['that another group may write', true, (own) => (chmodSync(own, 0o770), chownSync(own, 0, OTHER))],
        ['that another group may read', false, (own) => (chmodSync(own, 0o750), chownSync(own, 0, OTHER))],
        ['that the private group of the user may write', false, (own) => chmodSync(own, 0o775)],
      ] satisfies readonly Exposed[])
    : []),
];

test.skipIf(!process.getuid).each<Exposed>(EXPOSED)('a directory %s: refused %s', (_, isRefused, expose) => {
  const own = join(temporary(), 'parent/own');
  mkdirSync(join(own, 'deep'), { recursive: true });
  expose(own);
  for (const path of [join(own, 'deep'), join(own, 'new/one')]) {
    const result = (): string => privateDirectory(path);
    if (isRefused) expect(result).toThrow(/other users can change|belongs to another user/);
    else expect(result()).toBe(path);
  }
});

test.skipIf(!isRoot)('a link that belongs to another account is not followed', () => {
  const folder = temporary();
  mkdirSync(join(folder, 'target'), { mode: 0o700 });
  chmodSync(folder, 0o1777);
  symlinkSync('target', join(folder, 'link'));
  expect(trustedDirectory(join(folder, 'link'))).toBe(join(folder, 'target'));
  lchownSync(join(folder, 'link'), OTHER, OTHER);
  expect(() => trustedDirectory(join(folder, 'link'))).toThrow('belongs to another user');
});

test.runIf(isRoot)('a directory of this user is trusted, whoever has the root directory', () => {
  const folder = temporary();
  chownSync(folder, OTHER, OTHER);
  const { getuid } = process;
  onTestFinished(() => void Object.assign(process, { getuid }));
  Object.assign(process, { getuid: () => OTHER });
  expect(trustedDirectory(folder)).toBe(folder);
});

test.skipIf(!process.getuid)('a directory is private while only its user can use it', () => {
  const own = privateDirectory(join(temporary(), 'parent/own'));
  writeFileSync(join(own, 'file'), '');
  symlinkSync(own, join(own, 'link'));
  const places = [own, join(own, 'file'), join(own, 'link'), join(own, 'none')];
  expect(places.map(isPrivateDirectory)).toEqual([true, false, false, false]);
  expect([isTrusted(own), isTrusted(join(own, 'none/deep'))]).toEqual([true, false]);
  for (const mode of [0o701, 0o710, 0o770, 0o777]) {
    chmodSync(own, mode);
    expect(isPrivateDirectory(own)).toBe(false);
  }
  // Using it makes it private again; another one that others can replace is refused.
  expect([privateDirectory(own), isPrivateDirectory(own)]).toEqual([own, true]);
  chmodSync(dirname(own), 0o777);
  expect([isPrivateDirectory(own), isTrusted(own)]).toEqual([false, false]);
  writeFileSync(join(dirname(own), 'file'), '');
  chmodSync(dirname(own), 0o700);
  expect(() => privateDirectory(join(dirname(own), 'file'))).toThrow('is not a directory');
});

test('without numbers of users only the place is checked', () => {
  const folder = temporary();
  chmodSync(folder, 0o777);
  symlinkSync(folder, join(folder, 'link'));
  const { getuid } = process;
  onTestFinished(() => void Object.assign(process, { getuid }));
  Object.assign(process, { getuid: undefined });
  expect(trustedDirectory(join(folder, 'link/a/b'), 0o700)).toBe(join(folder, 'a/b'));
  expect(statSync(join(folder, 'a/b')).mode & 0o777).toBe(0o700);
  expect(trustedDirectory(join(folder, 'link'))).toBe(folder);
  expect(() => trustedDirectory(join(folder, 'none'))).toThrow('ENOENT');
  const own = privateDirectory(join(folder, 'a/own'));
  expect([own, isPrivateDirectory(own), isPrivateDirectory(folder)]).toEqual([
    join(folder, 'a/own'),
    true,
    true,
  ]);
  expect(temporaryPath()).toBe(join(tmpdir(), `oriel-${userInfo().uid}`));
});

test('where caches and temporary files are', () => {
  expect(cachePath({ XDG_CACHE_HOME: '/c', HOME: '/h' })).toBe('/c/oriel');
  expect(cachePath({ XDG_CACHE_HOME: 'c', HOME: '/h' })).toBe('/h/.cache/oriel');
  expect(cachePath({})).toBe(join(homedir(), '.cache/oriel'));
  expect(temporaryPath()).toBe(join(tmpdir(), `oriel-${process.getuid?.()}`));
  // Nor can clients read there, whoever made it.
  expect(keptFromClients([temporary()]).places).toContain(
    join(realpathSync(tmpdir()), `oriel-${process.getuid?.()}`),
  );
});
