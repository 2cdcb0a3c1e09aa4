// The published versions of npm packages as commits of a repository for each, made once below .bench/history/. The change
// from a version to the next is a task; earlier changes are the history that a reader has then.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { folder } from './data.mjs';
import { quick } from './quick.mjs';

const home = resolve(folder, 'history');

/** Versions of each package; the first `BEFORE` ones are only history. */
const VERSIONS = 13;
const BEFORE = 4;

/** A change of more files is not used as a task. */
const MOST_FILES = 10;

const code = /\.(?:[cm]?[jt]sx?|py|cc?|cpp|hh?|hpp|java|kt|swift|mm?)$/;

/**
 * Name, last version, and the directories with hand-written code (all directories if empty). `kept` packages are held out:
 * nothing is tuned on them.
 */
const packages = [
  ['fastify', '5.12.8', []],
  ['webpack', '5.112.2', ['lib']],
  ['mongoose', '9.12.1', ['lib', 'types']],
  ['phaser', '4.2.1', ['src']],
  ['three', '0.187.0', ['src', 'examples/jsm']],
  ['stylelint', '18.0.0', ['lib']],
  ['knex', '3.3.0', ['lib', 'bin', 'types']],
  ['effect', '4.1.0', ['src']],
  ['@trpc/server', '11.25.2', ['src']],
  ['zod', '4.6.7', ['src']],
  ['react-native-screens', '4.30.1', ['src', 'android', 'ios', 'common', 'cpp', 'windows']],
  ['isolated-vm', '7.0.1', ['src']],
  ['cordova-android', '15.1.0', ['framework', 'lib', 'templates']],
  ['undici', '8.12.4', [], 'kept'],
  ['eslint', '10.15.0', ['lib', 'bin', 'conf'], 'kept'],
  ['plotly.js', '4.1.1', ['src', 'lib'], 'kept'],
  ['svelte', '5.57.3', ['src'], 'kept'],
  ['mysql2', '3.24.6', ['lib', 'typings'], 'kept'],
  ['mocha', '12.0.3', ['lib', 'bin'], 'kept'],
  ['@hapi/hapi', '21.4.10', ['lib'], 'kept'],
  ['openai', '7.57.0', ['src'], 'kept'],
  ['@reduxjs/toolkit', '2.14.0', ['src'], 'kept'],
  ['node-gyp', '13.1.0', [], 'kept'],
  ['react-native-gesture-handler', '3.5.0', ['src', 'android', 'apple', 'shared'], 'kept'],
  ['expo-modules-core', '58.0.7', ['src', 'android', 'ios', 'common'], 'kept'],
  ['react-native-vision-camera', '5.2.3', ['src', 'android', 'ios', 'cpp'], 'kept'],
  ['zeromq', '6.8.0', ['src', 'lib', 'script'], 'kept'],
];

/**
 * `{ name, kept, directory, tasks }` for each package; a task is `{ commit, changes: [{ path, lines: [[from, to], …] }] }`:
 * lines of the older version. In quick mode only packages that were downloaded before.
 */
export function histories() {
  mkdirSync(home, { recursive: true });
  return packages.flatMap(([name, last, only, kept]) => {
    const directory = join(home, name.replace('/', '__'));
    if (!existsSync(directory) && (quick || !made(directory, name, last, only))) return [];
    return [{ name, kept: kept !== undefined, directory, tasks: tasksOf(directory) }];
  });
}

/** Checks out the tree before the change. */
export function checkOut(directory, commit) {
  git(directory, 'checkout', '--quiet', '--force', '--detach', commit);
}

function made(directory, name, last, only) {
  const part = `${directory}.part`;
  rmSync(part, { recursive: true, force: true });
  mkdirSync(part);
  try {
    git(part, 'init', '--quiet');
    for (const [i, [version, archive]] of archivesOf(part, name, last).entries()) {
      for (const entry of readdirSync(part))
        if (entry !== '.git') rmSync(join(part, entry), { recursive: true });
      unpack(part, archive, only);
      git(part, 'add', '--all', '--force');
      const date = new Date(Date.UTC(2026, 0, 1 + 14 * i)).toISOString();
      const who = ['-c', 'user.name=bench', '-c', 'user.email=bench@example.com'];
      spawnSync('git', [...who, 'commit', '--quiet', '--allow-empty', '-m', version], {
        cwd: part,
        env: { ...process.env, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date },
      });
    }
    rmSync(join(part, '.git', 'archives'), { recursive: true });
    git(part, 'gc', '--quiet');
    renameSync(part, directory);
    return true;
  } catch (error) {
    console.log(`${name} cannot be fetched: ${error.message.split('\n')[0]}`);
    return false;
  }
}

/** Versions without pre-releases, in order, up to `last`. */
function versionsOf(name, last) {
  const all = JSON.parse(
    execFileSync('npm', ['view', name, 'versions', '--json'], { encoding: 'utf8', maxBuffer: 1 << 26 }),
  );
  const numbers = (version) => version.split('.').map(Number);
  const before = (a, b) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
  return all
    .filter((version) => /^\d+\.\d+\.\d+$/.test(version))
    .map(numbers)
    .filter((version) => before(version, numbers(last)) <= 0)
    .toSorted(before)
    .slice(-VERSIONS)
    .map((version) => version.join('.'));
}

/** `[version, path]` of each version, downloaded in one command. */
function archivesOf(part, name, last) {
  const versions = versionsOf(name, last);
  const into = join(part, '.git', 'archives');
  mkdirSync(into);
  const specs = versions.map((version) => `${name}@${version}`);
  execFileSync('npm', ['pack', ...specs, '--silent', '--pack-destination', into], { stdio: 'ignore' });
  const stem = name.replace('@', '').replace('/', '-');
  return versions.map((version) => [version, join(into, `${stem}-${version}.tgz`)]);
}

function unpack(into, archive, only) {
  execFileSync('tar', ['xzf', archive, '-C', into, '--strip-components=1', '--no-same-owner']);
  const without = new Set();
  if (only.length > 0) {
    // The given directories, and the files next to them.
    const tops = new Set(only.map((one) => one.split('/')[0]));
    for (const entry of readdirSync(into, { withFileTypes: true }))
      if (entry.isDirectory() && entry.name !== '.git' && !tops.has(entry.name)) without.add(entry.name);
    for (const inner of only.filter((one) => one.includes('/'))) {
      const [top, kept] = inner.split('/');
      for (const entry of existsSync(join(into, top)) ? readdirSync(join(into, top)) : [])
        if (entry !== kept) without.add(join(top, entry));
    }
  }
  writeFileSync(join(into, '.gitignore'), '');
  for (const entry of [...without, 'node_modules', 'dist', 'build', 'prebuilds'])
    rmSync(join(into, entry), { recursive: true, force: true });
}

function tasksOf(directory) {
  const commits = git(directory, 'rev-list', '--reverse', 'master').split('\n').filter(Boolean);
  return commits.slice(BEFORE, -1).flatMap((commit, i) => {
    const changes = changesOf(directory, commit, commits[BEFORE + i + 1]);
    return changes.length > 0 && changes.length <= MOST_FILES ? [{ commit, changes }] : [];
  });
}

/** Code files that both versions have, with the lines of the older one that changed. */
function changesOf(directory, older, newer) {
  const diff = git(directory, 'diff', '--no-renames', '--diff-filter=M', '-U0', older, newer);
  return diff.split(/^diff --git /m).flatMap((file) => {
    const path = /^--- a\/(.*?)\t?$/m.exec(file)?.[1];
    if (path === undefined || !code.test(path)) return [];
    return [{ path, lines: changedLines(file) }];
  });
}

/** The lines of the older version in the changes of a file. */
export const changedLines = (diff) =>
  [...diff.matchAll(/^@@ -(\d+)(?:,(\d+))? /gm)].map(([, from, count = '1']) => [
    Math.max(1, Number(from)),
    Math.max(1, Number(from) + Math.max(0, Number(count) - 1)),
  ]);

function git(directory, ...args) {
  const options = ['-c', 'core.autocrlf=false', '-c', 'init.defaultBranch=master', '-c', 'gc.auto=0'];
  const { status, stdout, stderr } = spawnSync('git', [...options, ...args], {
    cwd: directory,
    encoding: 'utf8',
    maxBuffer: 1 << 29,
  });
  if (status !== 0) throw new Error(`git ${args[0]}: ${stderr}`);
  return stdout;
}
