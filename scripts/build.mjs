// node scripts/build.mjs [DIR]: builds dist/ from src/, and that of each of packages/. Runs on install in a checkout
// (postprepare: npm warns users of a package that has `prepare`), before benchmarks and before packing (prepack). The build is
// made in a separate directory, and replaces the last one when it is complete.
// With DIR, a directory below the project, makes a runnable package there without declarations: tests use their own, so that
// they do not disturb an `oriel` that is in use. With --once, only if there is none; calls at the same time make one.
import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { PARTS, writeCode, writeDeclarations, writePart } from './bundle.mjs';
import { swap } from './swap.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const building = join(root, '.build');

const DAY_MS = 86_400_000;

/** Builds use `.build/PID`, tests `.build/tests/…`. Removes those of killed processes, and what is two days old. */
function sweep() {
  for (const path of entriesOf(building)) {
    const pid = Number(path.slice(building.length + 1));
    if (pid > 0 && !isAlive(pid)) rmSync(path, { recursive: true, force: true });
  }
  for (const path of entriesOf(join(building, 'tests'))) {
    // A lock is a link without a target, and its builder may remove it meanwhile.
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats && stats.mtimeMs < Date.now() - 2 * DAY_MS) rmSync(path, { recursive: true, force: true });
  }
}

function entriesOf(directory) {
  return existsSync(directory) ? readdirSync(directory).map((name) => join(directory, name)) : [];
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
}

async function buildDist() {
  const home = join(building, String(process.pid));
  const fresh = join(home, 'dist');
  try {
    mkdirSync(fresh, { recursive: true });
    // All have ended before the directory of a failed build is removed.
    const done = await Promise.allSettled([
      writeDeclarations(fresh),
      writeCode(fresh),
      ...PARTS.map((name) => writePart(name, join(home, name))),
    ]);
    for (const { reason } of done) if (reason) throw reason;
    swap(fresh, join(root, 'dist'), join(home, 'old'));
    for (const name of PARTS) swap(join(home, name), join(root, 'packages', name, 'dist'), join(home, 'old'));
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

async function buildPackage(home) {
  mkdirSync(home, { recursive: true });
  copyFileSync(join(root, 'package.json'), join(home, 'package.json'));
  // The package includes docs/.
  if (!existsSync(join(home, 'docs'))) symlinkSync(join(root, 'docs'), join(home, 'docs'));
  await writeCode(join(home, 'dist'));
  for (const name of PARTS) {
    const part = join(home, 'node_modules/@oriel', name);
    mkdirSync(part, { recursive: true });
    copyFileSync(join(root, 'packages', name, 'package.json'), join(part, 'package.json'));
    await writePart(name, join(part, 'dist'));
  }
}

/** Whoever takes the lock builds; the others wait for the result, or for the end of that process. */
async function buildOnce(home) {
  const lock = `${home}.lock`;
  mkdirSync(dirname(home), { recursive: true });
  for (; !existsSync(home); await sleep(50)) {
    if (!takeLock(lock)) continue;
    const fresh = join(building, String(process.pid));
    try {
      if (!existsSync(home)) {
        await buildPackage(fresh);
        renameSync(fresh, home);
      }
    } finally {
      rmSync(fresh, { recursive: true, force: true });
      rmSync(lock, { recursive: true, force: true });
    }
  }
}

function holderOf(lock) {
  try {
    return Number(readlinkSync(lock));
  } catch {
    return process.pid; // It has just been released.
  }
}

/** A link whose target is the holder's process id: created and named in one step. */
function takeLock(lock) {
  try {
    symlinkSync(String(process.pid), lock);
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
  if (!isAlive(holderOf(lock))) rmSync(lock, { force: true });
  return false;
}

const args = process.argv.slice(2);
const once = args[0] === '--once';
const directory = args[once ? 1 : 0];
try {
  sweep();
  if (once) await buildOnce(resolve(directory));
  else await (directory === undefined ? buildDist() : buildPackage(resolve(directory)));
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
