// Writes the parts of a build into a directory: bundled code, declarations, grammars, licences, the manual page. With
// bundling a start opens a dozen files instead of hundreds.
import { execFile } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { rolldown } from 'rolldown';
import { copyGrammars } from './copy-grammars.mjs';

const run = promisify(execFile);
const root = fileURLToPath(new URL('..', import.meta.url));

/** The entries of package.json: paths below src/ without extension. */
function entries() {
  const { exports, bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const promised = [...Object.values(exports).map((target) => target.default), ...Object.values(bin)]
    .filter((path) => path?.endsWith('.js'))
    .map((path) => path.replace(/^(\.\/)?dist\/(.*)\.js$/, '$2'));
  return [...new Set(promised)];
}

/** The entries of worker threads and child processes, in the same form. */
function isolatedEntries() {
  return readdirSync(join(root, 'src'), { recursive: true })
    .filter((path) => /-(worker|child)\.ts$/.test(path))
    .map((path) => path.replace(/\.ts$/, ''));
}

/** The entries of realms (`process/job-realm.ts`): what a child evaluates anew for each job. */
function realmEntries() {
  return readdirSync(join(root, 'src'), { recursive: true })
    .filter((path) => /-(realm|globals)\.ts$/.test(path) && !path.endsWith('job-realm.ts'))
    .map((path) => path.replace(/\.ts$/, ''));
}

/**
 * Modules that are loaded together are in one file, because each file costs about a millisecond at the start. A group
 * contains all static imports of its modules, at any depth, that are not in earlier groups. Dynamic imports are separate.
 */
const GROUPS = [
  // Every call, from the command line too.
  ['core', ['faces/cli/main', 'assemble']],
  // Tools with their schemas: the library, and all servers.
  ['tools', ['oriel']],
  // `oriel mcp` over stdio.
  ['mcp', ['faces/mcp/serve-stdio']],
];

const groups = GROUPS.map(([name, paths], i) => {
  let modules;
  return {
    name: (id, graph) => ((modules ??= reached(paths, graph)).has(id) ? name : null),
    debugName: name,
    priority: GROUPS.length - i,
  };
});

/** The modules at `paths` with all their static imports. */
function reached(paths, graph) {
  const found = new Set();
  const visit = (id) => {
    if (found.has(id)) return;
    found.add(id);
    for (const next of graph.getModuleInfo(id)?.importedIds ?? []) visit(next);
  };
  for (const path of paths) visit(join(root, 'src', `${path}.ts`));
  return new Set([...found].filter((id) => graph.getModuleInfo(id)?.isEntry === false));
}

/**
 * Packages are external, except those that every server needs at its start: bundled they load in half the time (zod alone
 * has a hundred files). They are still dependencies, for their types.
 */
const INLINED = ['zod', '@modelcontextprotocol/server', '@modelcontextprotocol/core'];

/** Packages that are bundled into the dashboard. */
const SHOWN = ['preact', 'uplot'];

const isPackage = (id) => !id.startsWith('.') && !id.startsWith('/') && !/^[A-Za-z]:\\/.test(id);

/** The licences of the bundled packages; `more`: those of realms. */
function licenses(more) {
  const texts = [...INLINED, ...SHOWN, ...[...more].toSorted()].map((name) => {
    const from = join(root, 'node_modules', name);
    const { version, license, homepage = '' } = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8'));
    const file = readdirSync(from).find((entry) => /^licen[cs]e/i.test(entry));
    const text = file ? readFileSync(join(from, file), 'utf8') : `License: ${license}`;
    return `${name} ${version} ${homepage}\n\n${text.trim()}\n`;
  });
  return texts.join(`\n${'-'.repeat(80)}\n\n`);
}

async function code(to) {
  await bundle(to, entries(), { groups });
  // Each in a bundle of its own: with shared files a thread would load all of them at its start.
  for (const path of isolatedEntries()) await bundle(to, [path], true);
  const packages = new Set();
  for (const path of realmEntries())
    for (const name of await bundleRealm(to, path)) if (!INLINED.includes(name)) packages.add(name);
  return packages;
}

/** Packages that are native code, which a realm gets from its child. */
const NATIVE = ['@firecrawl/anydoc', '@firecrawl/pdf-inspector', '@napi-rs/canvas'];

/** Bundles a script with all its packages but native ones, and returns their names. What it imports on demand is a chunk. */
async function bundleRealm(to, path) {
  const build = await rolldown({
    input: { [path]: join(root, 'src', `${path}.ts`) },
    platform: 'browser',
    transform: { define: { 'import.meta': '{}' } },
    external: (id) => id.startsWith('node:') || NATIVE.includes(id),
  });
  const { output } = await build.write({
    dir: to,
    format: 'cjs',
    dynamicImportInCjs: false,
    minify: true,
    entryFileNames: '[name].cjs',
    chunkFileNames: 'chunks/[name]-[hash].cjs',
  });
  await build.close();
  const modules = output.flatMap(({ moduleIds = [] }) => moduleIds);
  return modules.flatMap(
    (id) => /node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*node_modules)/.exec(id)?.[1] ?? [],
  );
}

/** Bundles the dashboard: one script, one style sheet, one page, which load nothing else. */
async function dashboard(to) {
  const from = join(root, 'src/faces/dashboard');
  const build = await rolldown({
    input: join(from, 'main.tsx'),
    platform: 'browser',
    transform: { define: { 'process.env.NODE_ENV': '"production"' } },
  });
  await build.write({ file: join(to, 'dashboard.js'), format: 'esm', minify: true });
  await build.close();
  const uplot = join(root, 'node_modules/uplot/dist/uPlot.min.css');
  writeFileSync(
    join(to, 'dashboard.css'),
    [uplot, join(from, 'style.css')].map((path) => readFileSync(path, 'utf8')).join(''),
  );
  copyFileSync(join(from, 'index.html'), join(to, 'index.html'));
}

async function bundle(to, paths, codeSplitting) {
  const input = Object.fromEntries(paths.map((path) => [path, join(root, 'src', `${path}.ts`)]));
  const build = await rolldown({
    input,
    platform: 'node',
    resolve: {
      alias: { '@modelcontextprotocol/server/_shims': join(root, 'src/faces/mcp/sdk-platform.ts') },
    },
    external: (id) => isPackage(id) && !INLINED.some((name) => id === name || id.startsWith(`${name}/`)),
  });
  await build.write({ dir: to, format: 'esm', chunkFileNames: 'chunks/[name]-[hash].js', codeSplitting });
  await build.close();
}

/** Writes the `.d.ts` files. Throws with the output of the compiler. */
export async function writeDeclarations(to) {
  const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');
  const options = ['-p', 'tsconfig.build.json', '--outDir', to];
  await run(process.execPath, [tsc, ...options], { cwd: root, maxBuffer: 1 << 26 }).catch((error) => {
    throw new Error(error.stdout || error.message);
  });
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  for (const { types } of Object.values(exports)) {
    if (types === undefined) continue;
    const file = join(to, types.replace('./dist/', ''));
    writeFileSync(file, `${NODE_TYPES}\n${readFileSync(file, 'utf8')}`);
  }
}

/** Needed since TypeScript 6, because our types use Buffer. */
const NODE_TYPES = '/// <reference types="node" />';

/** Writes all code. There must be a package.json above `to`. */
export async function writeCode(to) {
  const packages = await code(to);
  mkdirSync(join(to, 'dashboard'), { recursive: true });
  await dashboard(join(to, 'dashboard'));
  copyGrammars(to);
  writeFileSync(join(to, 'THIRD-PARTY.txt'), licenses(packages));
  const cli = join(to, 'faces/cli/main.js');
  chmodSync(cli, 0o755);
  const { stdout } = await run(process.execPath, [cli, 'man'], { maxBuffer: 1 << 26 });
  writeFileSync(join(to, 'oriel.1'), stdout);
}
