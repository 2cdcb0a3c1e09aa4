// Builds dist/ from src/: declarations by the compiler, code by the bundler. Runs on install (prepare), before the
// tests and before publishing. A start opens a dozen files instead of hundreds.
import { execFileSync } from 'node:child_process';
import { chmodSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { copyGrammars } from './copy-grammars.mjs';

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

/** What every read needs goes into one file; what only some calls need stays apart and is loaded when they come. */
const needed = new RegExp(
  [
    '/src/(queues|types|text|window|selector|session|render|dialects)/[^/]+$',
    '/src/(assemble|errors|limits)\\.ts$',
    '/src/access/(bytes|descriptors|directory|failure|file|local|package-files|paths|roots|turns)\\.ts$',
    '/src/engine/(gate|perform|policy|read|read-text|settings|target)\\.ts$',
    '/src/views/(text-input|view)\\.ts$',
    '/src/sources/([^/]+|schemes/[^/]+)$',
    '/src/faces/cli/(command|options|print|progress)\\.ts$',
  ].join('|'),
);

/**
 * Packages stay packages, but for what every server needs at its start: put together they load in half the time (a
 * hundred files of zod are one). Users keep both as dependencies, for their types.
 */
const INLINED = ['zod', '@modelcontextprotocol/server', '@modelcontextprotocol/core'];

const isPackage = (id) => !id.startsWith('.') && !id.startsWith('/') && !/^[A-Za-z]:\\/.test(id);

/** What was put in is named, with its terms. */
function licenses() {
  const texts = INLINED.map((name) => {
    const from = join(root, 'node_modules', name);
    const { version, license, homepage = '' } = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8'));
    const file = readdirSync(from).find((entry) => /^licen[cs]e/i.test(entry));
    const text = file ? readFileSync(join(from, file), 'utf8') : `License: ${license}`;
    return `${name} ${version} ${homepage}\n\n${text.trim()}\n`;
  });
  writeFileSync(join(root, 'dist/THIRD-PARTY.txt'), texts.join(`\n${'-'.repeat(80)}\n\n`));
}

async function bundle() {
  const input = Object.fromEntries(entries().map((path) => [path, join(root, 'src', `${path}.ts`)]));
  const build = await rolldown({
    input,
    platform: 'node',
    external: (id) => isPackage(id) && !INLINED.some((name) => id === name || id.startsWith(`${name}/`)),
  });
  await build.write({
    dir: join(root, 'dist'),
    format: 'esm',
    chunkFileNames: 'chunks/[name]-[hash].js',
    codeSplitting: { groups: [{ name: 'core', test: needed }] },
  });
}

function declarations() {
  const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');
  execFileSync(process.execPath, [tsc, '-p', 'tsconfig.build.json'], { cwd: root, stdio: 'inherit' });
}

rmSync(join(root, 'dist'), { recursive: true, force: true });
declarations();
await bundle();
copyGrammars();
licenses();
const cli = join(root, 'dist/faces/cli/main.js');
chmodSync(cli, 0o755);
writeFileSync(join(root, 'dist/oriel.1'), execFileSync(process.execPath, [cli, 'man']));
