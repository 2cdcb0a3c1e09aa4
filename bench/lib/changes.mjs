// Pairs of published versions of npm packages, with sources in several languages, unpacked once below .bench/changes/. A
// reader needs to see the parts of the older version that changed, of code or of prose.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { changedLines } from './history.mjs';
import { quick } from './quick.mjs';

const folder = resolve('.bench/changes');

/** Name, older version, newer version. The last ones have Python, C++, Kotlin and Swift. */
const pairs = [
  ['commander', '12.0.0', '12.1.0'],
  ['fastify', '4.26.0', '4.27.0'],
  ['express', '4.18.2', '4.19.2'],
  ['undici', '6.10.0', '6.13.0'],
  ['hono', '4.2.0', '4.4.0'],
  ['yargs', '17.6.0', '17.7.2'],
  ['ajv', '8.12.0', '8.17.1'],
  ['zod', '4.0.0', '4.0.5'],
  ['node-gyp', '10.0.0', '10.2.0'],
  ['node-addon-api', '7.0.0', '8.0.0'],
  ['better-sqlite3', '9.0.0', '11.0.0'],
  ['expo-modules-core', '1.11.8', '1.11.14'],
];

const kinds = {
  code: { names: /\.(?:[cm]?[jt]sx?|py|cc?|cpp|h|hpp|kt|swift)$/, bytes: 0 },
  // A bare read of shorter prose answers with its text.
  prose: { names: /(?<!\/(?:CHANGELOG|History|LICENSE))\.(?:md|rst|html?)$/i, bytes: 12 << 10 },
};

/** Maximum changes of a task; more count as a rewrite. */
const mostHunks = 12;

/** Maximum tasks of a package. */
const mostTasks = 12;

/**
 * `{ directory, path, lines: [[from, to], …] }` for each changed file (`code` or `prose`) of each package, with lines of the
 * older version. In quick mode nothing is downloaded.
 */
export function changes(kind) {
  mkdirSync(folder, { recursive: true });
  return pairs.flatMap(([name, ...versions]) => {
    const there = versions.every((version) => existsSync(join(folder, `${name}-${version}`)));
    if (quick && !there) return [];
    const [older, newer] = versions.map((version) => unpacked(name, version));
    return changedFiles(older, newer, kinds[kind]);
  });
}

function unpacked(name, version) {
  return once(`${name}-${version}`, (into) => {
    execFileSync('npm', ['pack', `${name}@${version}`, '--silent', '--pack-destination', into]);
    const archive = readdirSync(into).find((file) => file.endsWith('.tgz'));
    execFileSync('tar', ['xzf', join(into, archive), '-C', into]);
    rmSync(join(into, archive));
  });
}

function once(name, make) {
  const target = join(folder, name);
  if (existsSync(target)) return target;
  const part = `${target}.part`;
  rmSync(part, { recursive: true, force: true });
  mkdirSync(part);
  make(part);
  renameSync(part, target);
  return target;
}

function changedFiles(older, newer, wanted) {
  const { stdout } = spawnSync('git', ['diff', '--no-index', '--no-renames', '-U0', older, newer], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  const tasks = stdout.split(/^diff --git /m).flatMap((file) => {
    const path = /^--- a(.*)$/m.exec(file)?.[1];
    if (path === undefined || !path.startsWith(older) || !wanted.names.test(path) || !/^\+\+\+ b/m.test(file))
      return [];
    const lines = changedLines(file);
    if (statSync(path).size < wanted.bytes) return [];
    const small = lines.length <= mostHunks && lines.every(([from, to]) => to - from < 200);
    return small ? [{ directory: older, path: path.slice(older.length + 1), lines }] : [];
  });
  return tasks.slice(0, mostTasks);
}
