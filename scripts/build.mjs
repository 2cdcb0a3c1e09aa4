// node scripts/build.mjs [DIR]: builds dist/ from src/. Runs on install in a checkout (postprepare: npm warns users of a
// package that has `prepare`), before benchmarks and before packing (prepack). The build is made in a separate directory,
// and replaces the last one when it is complete.
// With DIR, a directory below the project, makes a runnable package there without declarations. Tests use their own, so that
// they do not disturb an `oriel` that is in use.
import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeCode, writeDeclarations } from './bundle.mjs';
import { swap } from './swap.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const building = join(root, '.build');

/** Builds and test runs use `.build/PID`. Removes those of killed processes. */
function sweep() {
  for (const name of existsSync(building) ? readdirSync(building) : []) {
    if (!isAlive(Number(name))) rmSync(join(building, name), { recursive: true, force: true });
  }
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
    await Promise.all([writeDeclarations(fresh), writeCode(fresh)]);
    swap(fresh, join(root, 'dist'), join(home, 'old'));
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

async function buildPackage(home) {
  mkdirSync(home, { recursive: true });
  copyFileSync(join(root, 'package.json'), join(home, 'package.json'));
  await writeCode(join(home, 'dist'));
}

const [directory] = process.argv.slice(2);
try {
  sweep();
  await (directory === undefined ? buildDist() : buildPackage(resolve(directory)));
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
