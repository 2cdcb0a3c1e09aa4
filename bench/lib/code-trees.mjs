// Trees of real code of a given number of files, copied together once below .bench/ from Debian and npm packages.
import { cpSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { filesBelow, folder } from './data.mjs';
import { debian } from './debian.mjs';
import { peer } from './peers.mjs';
import { quick } from './quick.mjs';

const code = /\.(?:[cm]?[jt]sx?|py|go|java|kt|cc?|cpp|hh?|hpp)$/;

/** The name in a tree and the directory of each source; the last ones are only for the largest tree. */
const sources = () => [
  ['fastapi', debian('python3-fastapi')],
  ['gin', debian('golang-github-gin-gonic-gin-dev')],
  ['express', peer('express', '5.1.0')],
  ['django', debian('python3-django')],
  ['x-tools', debian('golang-golang-x-tools-dev')],
  ['react-native', peer('react-native', '0.76.9')],
  ['go', debian('golang-1.19-src')],
  ['boost', debian('libboost1.74-dev')],
];

/** The three trees of the lookups, as far as they are available: `[name, directory]`. */
export const lookupTrees = () =>
  sources()
    .slice(0, 3)
    .filter(([, directory]) => directory !== undefined);

/** `{ name, directory, files }`; in quick mode only some code of this project. */
export function codeTrees() {
  if (quick)
    return [{ name: 'src of this project', directory: copied('code-own-200', [['src', 'src']], 200) }];
  const there = sources().filter(([, directory]) => directory !== undefined);
  return [500, 5_000, 20_000].map((most) => ({
    name: `${most} files`,
    directory: copied(`code-${most}`, there, most),
  }));
}

/** An equal share of each source, and more of the large ones if others have less. */
function copied(name, from, most) {
  const target = resolve(folder, name);
  if (existsSync(target)) return target;
  const part = `${target}.part`;
  rmSync(part, { recursive: true, force: true });
  const lists = from
    .map(([called, directory]) => ({ called, directory, paths: codeBelow(directory) }))
    .toSorted((a, b) => a.paths.length - b.paths.length);
  let left = most;
  for (const [i, { called, directory, paths }] of lists.entries()) {
    const share = paths.slice(0, Math.floor(left / (lists.length - i)));
    left -= share.length;
    for (const path of share) {
      const to = join(part, called, path);
      mkdirSync(dirname(to), { recursive: true });
      cpSync(join(directory, path), to);
    }
  }
  renameSync(part, target);
  return target;
}

const codeBelow = (directory) =>
  filesBelow(directory)
    .map((path) => relative(directory, path))
    .filter((path) => code.test(path) && !/(?:^|\/)node_modules\//.test(path));
