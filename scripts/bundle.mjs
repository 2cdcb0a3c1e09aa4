// What a build consists of, written into a directory: code by the bundler, declarations by the compiler, grammars,
// licences, the manual page. A start opens a dozen files instead of hundreds.
import { execFile } from 'node:child_process';
import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { rolldown } from 'rolldown';
import { copyGrammars } from './copy-grammars.mjs';

const run = promisify(execFile);
const root = fileURLToPath(new URL('..', import.meta.url));

/** Paths below src/ without their ending: what package.json promises, and what runs in a thread or child of its own. */
function entries() {
  const { exports, bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const promised = [...Object.values(exports).map((target) => target.default), ...Object.values(bin)]
    .filter((path) => path?.endsWith('.js'))
    .map((path) => path.replace(/^(\.\/)?dist\/(.*)\.js$/, '$2'));
  const isolated = readdirSync(join(root, 'src'), { recursive: true })
    .filter((path) => /-(worker|child)\.ts$/.test(path) && !path.startsWith('access'))
    .map((path) => path.replace(/\.ts$/, ''));
  return [...new Set([...promised, ...isolated])];
}

/** What every read needs goes into one file; what only some calls need is loaded when they come. */
const needed = new RegExp(
  [
    '/src/(queues|types|text|window|selector|session|render|dialects)/[^/]+$',
    '/src/(assemble|call-tool|errors|limits)\\.ts$',
    '/src/access/(bytes|descriptors|directory|failure|file|local|mounts|package-files|paths|roots|timer)\\.ts$',
    '/src/engine/(cleanups|default-settings|gate|perform|policy|read|read-summary|read-text|target|unexpected)\\.ts$',
    '/src/views/(languages|lines|text-input|view)\\.ts$',
    '/src/sources/([^/]+|schemes/[^/]+)$',
    '/src/faces/cli/(command|debug|options|print|progress)\\.ts$',
  ].join('|'),
);

/**
 * Packages stay packages, except those that every server needs at its start: put together they load in half the time
 * (zod alone has a hundred files). Users keep both as dependencies, for their types.
 */
const INLINED = ['zod', '@modelcontextprotocol/server', '@modelcontextprotocol/core'];

const isPackage = (id) => !id.startsWith('.') && !id.startsWith('/') && !/^[A-Za-z]:\\/.test(id);

/** The terms of the packages whose code is inlined. */
function licenses() {
  const texts = INLINED.map((name) => {
    const from = join(root, 'node_modules', name);
    const { version, license, homepage = '' } = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8'));
    const file = readdirSync(from).find((entry) => /^licen[cs]e/i.test(entry));
    const text = file ? readFileSync(join(from, file), 'utf8') : `License: ${license}`;
    return `${name} ${version} ${homepage}\n\n${text.trim()}\n`;
  });
  return texts.join(`\n${'-'.repeat(80)}\n\n`);
}

async function code(to) {
  const input = Object.fromEntries(entries().map((path) => [path, join(root, 'src', `${path}.ts`)]));
  const build = await rolldown({
    input,
    platform: 'node',
    external: (id) => isPackage(id) && !INLINED.some((name) => id === name || id.startsWith(`${name}/`)),
  });
  await build.write({
    dir: to,
    format: 'esm',
    chunkFileNames: 'chunks/[name]-[hash].js',
    codeSplitting: { groups: [{ name: 'core', test: needed }] },
  });
  await build.close();
}

/** Writes the `.d.ts` files. Throws with what the compiler printed. */
export async function writeDeclarations(to) {
  const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');
  const options = ['-p', 'tsconfig.build.json', '--outDir', to];
  await run(process.execPath, [tsc, ...options], { cwd: root, maxBuffer: 1 << 26 }).catch((error) => {
    throw new Error(error.stdout || error.message);
  });
}

/** Writes everything that runs. A package.json must be found above `to`. */
export async function writeCode(to) {
  await code(to);
  copyGrammars(to);
  writeFileSync(join(to, 'THIRD-PARTY.txt'), licenses());
  const cli = join(to, 'faces/cli/main.js');
  chmodSync(cli, 0o755);
  const { stdout } = await run(process.execPath, [cli, 'man'], { maxBuffer: 1 << 26 });
  writeFileSync(join(to, 'oriel.1'), stdout);
}
