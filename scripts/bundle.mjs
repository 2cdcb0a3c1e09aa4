// Writes the parts of a build into a directory: bundled code, declarations, grammars, licences, the manual page. With
// bundling a start opens a dozen files instead of hundreds.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { rolldown } from 'rolldown';
import { copyGrammars, copyPacked } from './copy-grammars.mjs';
import { schemasOnDemand } from './sdk-schemas.mjs';

const run = promisify(execFile);
const root = fileURLToPath(new URL('..', import.meta.url));

/** The entries of package.json: paths below src/ without extension. */
function entries() {
  const { exports, bin } = manifest;
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

const groups = () =>
  GROUPS.map(([name, paths], i) => {
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
 * A package is external if package.json declares it for those who install oriel: native code and peers. All others are
 * bundled: fewer bytes, and a start opens a few files instead of hundreds. zod is declared for its types.
 */
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const INSTALLED = ['dependencies', 'optionalDependencies', 'peerDependencies'].flatMap((field) =>
  Object.keys(manifest[field] ?? {}),
);
const INLINED = ['zod', '@modelcontextprotocol/server'];

const isExternal = (id) =>
  INSTALLED.some((name) => !INLINED.includes(name) && (id === name || id.startsWith(`${name}/`)));

/** WebAssembly of bundled packages, which code reads from `wasm/` in the build. */
const WASM = [
  '@sqlite.org/sqlite-wasm/dist/sqlite3.wasm',
  'libarchive-wasm/dist/libarchive.wasm',
  'web-tree-sitter/web-tree-sitter.wasm',
];

function copyWasm(to) {
  mkdirSync(to);
  for (const path of WASM) copyFileSync(join(root, 'node_modules', path), join(to, basename(path)));
  copyPacked('@embedpdf/pdfium/dist/pdfium.wasm', pathToFileURL(join(to, 'pdfium.wasm.br')));
}

/** The licences of the bundled packages, by their directories. */
function licenses(packages) {
  const texts = [...packages].toSorted().map((from) => {
    const {
      name,
      version,
      license,
      homepage = '',
    } = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8'));
    const files = readdirSync(from).filter((entry) => /^licen[cs]e/i.test(entry));
    const text =
      files.map((file) => readFileSync(join(from, file), 'utf8')).join('\n') || `License: ${license}`;
    return `${name} ${version} ${homepage}\n\n${text.trim()}\n`;
  });
  return [...new Set(texts)].join(`\n${'-'.repeat(80)}\n\n`);
}

/** The directories of the packages with the modules of a bundle. */
function packagesIn(output) {
  const modules = output.flatMap(({ moduleIds = [] }) => moduleIds);
  return modules.flatMap(
    (id) => /^([^\0].*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+)[\\/]/.exec(id)?.[1] ?? [],
  );
}

/** Writes all bundles, and returns the directories of the packages in them. */
async function code(to) {
  const library = entries().filter((path) => path !== CLI);
  const packages = [await bundle(to, library, { codeSplitting: { groups: groups() } })];
  packages.push(await program(to), await dashboard(join(to, 'dashboard')));
  // Each in a bundle of its own: with shared files a thread would load all of them at its start.
  for (const path of isolatedEntries()) packages.push(await bundle(to, [path]));
  for (const path of realmEntries()) packages.push(await bundleRealm(to, path));
  return new Set(packages.flat());
}

/** The command line: CommonJS of its own, because V8 keeps compiled code of scripts only (`faces/cli/launch.ts`). */
const CLI = 'faces/cli/main';

async function program(to) {
  const packages = await bundle(to, [CLI], {
    format: 'cjs',
    dynamicImportInCjs: false,
    chunkFileNames: 'chunks/[name]-[hash].cjs',
    codeSplitting: { groups: groups() },
    entryFileNames: 'faces/cli/program.cjs',
  });
  // It names its chunks by the digests of their content.
  const digest = createHash('sha256')
    .update(readFileSync(join(to, 'faces/cli/program.cjs')))
    .digest('hex');
  const define = { BUILD: JSON.stringify(digest.slice(0, 16)) };
  await bundle(to, ['faces/cli/launch'], { entryFileNames: `${CLI}.js` }, define);
  return packages;
}

/** Bundles a script with all its packages but native ones, which a realm gets from its child. What it imports on demand is a chunk. */
async function bundleRealm(to, path) {
  const build = await rolldown({
    input: { [path]: join(root, 'src', `${path}.ts`) },
    platform: 'browser',
    transform: { define: { 'import.meta': '{}' } },
    external: (id) => id.startsWith('node:') || isExternal(id),
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
  return packagesIn(output);
}

/** Bundles the dashboard: one script, one style sheet, one page, which load nothing else. */
async function dashboard(to) {
  mkdirSync(to, { recursive: true });
  const from = join(root, 'src/faces/dashboard');
  const build = await rolldown({
    input: join(from, 'main.tsx'),
    platform: 'browser',
    transform: { define: { 'process.env.NODE_ENV': '"production"' } },
  });
  const { output } = await build.write({ file: join(to, 'dashboard.js'), format: 'esm', minify: true });
  await build.close();
  const uplot = join(root, 'node_modules/uplot/dist/uPlot.min.css');
  writeFileSync(
    join(to, 'dashboard.css'),
    [uplot, join(from, 'style.css')].map((path) => readFileSync(path, 'utf8')).join(''),
  );
  copyFileSync(join(from, 'index.html'), join(to, 'index.html'));
  return packagesIn(output);
}

/** `output`: options of rolldown besides those that all bundles have. */
async function bundle(to, paths, options, define) {
  const input = Object.fromEntries(paths.map((path) => [path, join(root, 'src', `${path}.ts`)]));
  const build = await rolldown({
    input,
    platform: 'node',
    // For CommonJS.
    transform: {
      define: define ?? {
        __dirname: 'import.meta.dirname',
        __filename: 'import.meta.filename',
        ORIEL_VERSION: JSON.stringify(manifest.version),
      },
    },
    resolve: {
      alias: { '@modelcontextprotocol/server/_shims': join(root, 'src/faces/mcp/sdk-platform.ts') },
    },
    external: isExternal,
    plugins: [schemasOnDemand],
    // web-tree-sitter has an eval, for code that grammars bring along.
    checks: { eval: false, ineffectiveDynamicImport: false },
  });
  const { output } = await build.write({
    dir: to,
    format: 'esm',
    chunkFileNames: 'chunks/[name]-[hash].js',
    comments: false,
    ...options,
  });
  await build.close();
  for (const { fileName, code } of output)
    writeFileSync(join(to, fileName), inAscii(forBundlers(withImports(code))));
  return packagesIn(output);
}

/** Optional packages of the library, which a program that bundles oriel need not have. */
const ON_DEMAND = new RegExp(
  `\\bimport\\(("(?:${Object.keys(manifest.peerDependencies).join('|')})")\\)`,
  'g',
);

/** Hides from bundlers what they would look for and not find: optional packages, and a file that is elsewhere in the build. */
function forBundlers(code) {
  return (
    code
      .replaceAll(ON_DEMAND, 'import(/* webpackIgnore: true */ /* @vite-ignore */ String($1))')
      // To CommonJS they leave no URL; what is required is part of Node.
      .replaceAll('createRequire(import.meta.url)', 'createRequire(import.meta.url || process.execPath)')
      .replaceAll(/new URL\("[\w-]+\.wasm", import\.meta\.url\)/g, 'new URL("none:")')
  );
}

/** Escapes all other characters: a single one makes V8 keep two bytes for each character of a file, and read it slower. */
function inAscii(code) {
  if (/\\[^\x00-\x7f]/.test(code)) throw new Error('a backslash before a character that is not ASCII');
  if (/\.raw`[^`]*[^\x00-\x7f]/.test(code)) throw new Error('raw text with a character that is not ASCII');
  return code.replaceAll(/[^\x00-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Writes the `.d.ts` files. Throws with the output of the compiler. */
export async function writeDeclarations(to) {
  const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');
  const options = ['-p', 'tsconfig.build.json', '--outDir', to];
  await run(process.execPath, [tsc, ...options], { cwd: root, maxBuffer: 1 << 26 }).catch((error) => {
    throw new Error(error.stdout || error.message);
  });
  const entries = Object.values(manifest.exports).flatMap(({ types }) =>
    types === undefined ? [] : [join(to, types.replace('./dist/', ''))],
  );
  const reached = declarationsOf(entries);
  for (const path of readdirSync(to, { recursive: true }).filter((name) => name.endsWith('.d.ts')))
    if (!reached.has(join(to, path))) rmSync(join(to, path));
  for (const file of entries) writeFileSync(file, `${NODE_TYPES}\n${readFileSync(file, 'utf8')}`);
}

/**
 * Packages, and files that are named at run time, are imported as ECMAScript modules: rolldown would make a `require` of them,
 * which gets other code of some packages, and fails for others. `load`: see `faces/cli/launch.ts`.
 */
function withImports(code) {
  return code.replaceAll(
    /Promise\.resolve\(\)\.then\(\(\) => require_rolldown_runtime\.__toESM\(require\(("[^".][^"]*"|require_[^"]*?"[^"]*"\)\.href)\), 1\)\)/g,
    '(require.load?.($1) ?? import($1))',
  );
}

/** The entries with all declarations that they import. Throws if they need a package that users of oriel do not have. */
function declarationsOf(entries) {
  const found = new Set();
  const visit = (file) => {
    if (found.has(file)) return;
    found.add(file);
    for (const [, id] of readFileSync(file, 'utf8').matchAll(/\b(?:from|import\()\s*['"]([^'"]+)['"]/g)) {
      if (id.startsWith('.')) visit(join(dirname(file), id.replace(/\.[jt]s$/, '.d.ts')));
      else if (!id.startsWith('node:') && !INSTALLED.some((name) => `${id}/`.startsWith(`${name}/`)))
        throw new Error(`${file} needs the package ${id}, which is not installed with oriel.`);
    }
  };
  entries.forEach(visit);
  return found;
}

/** Needed since TypeScript 6, because our types use Buffer. */
const NODE_TYPES = '/// <reference types="node" />';

/** Packages that are published beside oriel: their names below packages/. */
export const PARTS = readdirSync(join(root, 'packages'));

/**
 * Writes the code of such a package: one file, to which oriel hands over what it uses of oriel, and the licences. It is CommonJS
 * where oriel loads it without waiting.
 */
export async function writePart(name, to) {
  const from = join(root, 'packages', name);
  const { exports, peerDependencies = {} } = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8'));
  const entry = basename(exports['.']);
  const build = await rolldown({
    input: { index: join(from, 'src/index.ts') },
    platform: 'node',
    external: Object.keys(peerDependencies),
  });
  const { output } = await build.write({
    dir: to,
    entryFileNames: entry,
    format: entry.endsWith('.cjs') ? 'cjs' : 'esm',
    comments: false,
    codeSplitting: false,
  });
  await build.close();
  for (const id of output.flatMap(({ moduleIds }) => moduleIds))
    if (id.startsWith(join(root, 'src/'))) throw new Error(`packages/${name} has a copy of ${id}.`);
  for (const { fileName, code } of output) writeFileSync(join(to, fileName), inAscii(code));
  writeFileSync(join(to, 'THIRD-PARTY.txt'), licenses(new Set(packagesIn(output))));
  copyFileSync(join(root, 'LICENSE'), join(to, 'LICENSE'));
}

/** Writes all code. There must be a package.json above `to`. */
export async function writeCode(to) {
  const packages = await code(to);
  copyWasm(join(to, 'wasm'));
  cpSync(join(root, 'packaging/agents/plugin'), join(to, 'plugin'), { recursive: true });
  copyGrammars(to);
  writeFileSync(join(to, 'THIRD-PARTY.txt'), licenses(packages));
  const cli = join(to, 'faces/cli/main.js');
  chmodSync(cli, 0o755);
  const { stdout } = await run(process.execPath, [cli, 'man'], { maxBuffer: 1 << 26 });
  writeFileSync(join(to, 'oriel.1'), stdout);
}
