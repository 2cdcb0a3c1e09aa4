// npm run package [-- FOLDER]: builds what is published and checks it with external tools: publint and attw for npm, mcpb for
// one-click installation, the models of Kubernetes for deploy/, and bundlers, whose programs answer as the package does. The bundle is written to FOLDER (default .bench/package), with the binaries of this platform.
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { install as installed, root, run } from './tools.mjs';

const to = resolve(process.argv[2] ?? join(root, '.bench/package'));

const TOOLS = [
  'publint@0.3.25',
  '@arethetypeswrong/cli@0.18.5',
  '@anthropic-ai/mcpb@2.1.2',
  'kubernetes-models@4.5.1',
];

/** What builds programs of it. */
const BUNDLERS = [
  'bun@1.4.5',
  'esbuild@0.28.2',
  'webpack@5.113.0',
  'webpack-cli@7.3.1',
  'next@16.4.6',
  'react@19.3.1',
  'react-dom@19.3.1',
];

/** Maximum bytes of the packed package, most of which are grammars, WebAssembly and what reads documents and pages. */
const MAX_PACKED_BYTES = 8.25 * 2 ** 20;

/** Maximum bytes of the files below `node_modules` after an installation on Linux, x64, with glibc. */
const MAX_INSTALLED_BYTES = 75e6;
const MAX_INSTALLED_BYTES_WITHOUT_OPTIONAL = 32e6;

/** What is published beside oriel. */
const PARTS = await readdir(join(root, 'packages'));

/** Maximum number of installed packages. */
const MAX_PACKAGES = 25;

/** The packages below `node_modules` of a directory, with their bytes and the scripts that run when they are installed. */
async function installedPackages(home) {
  const { packages } = JSON.parse(await readFile(join(home, 'node_modules/.package-lock.json'), 'utf8'));
  return Promise.all(
    Object.keys(packages).map(async (name) => {
      const { scripts = {} } = JSON.parse(await readFile(join(home, name, 'package.json'), 'utf8'));
      const files = await readdir(join(home, name), { recursive: true, withFileTypes: true });
      const own = files.filter(
        (file) => file.isFile() && !file.parentPath.slice(join(home, name).length).includes('node_modules'),
      );
      const sizes = await Promise.all(own.map((file) => stat(join(file.parentPath, file.name))));
      return {
        name,
        bytes: sizes.reduce((sum, { size }) => sum + size, 0),
        scripts: Object.keys(scripts).filter((script) => /^(?:pre|post)?install$/.test(script)),
      };
    }),
  );
}

/** Programs that use a grammar, a worker thread, a child process and ripgrep. */
const PROGRAMS = {
  'answers.mjs': `
import { createOriel } from 'oriel';
export async function answers() {
  const oriel = createOriel({ cwd: ${JSON.stringify(root)}, cache: false });
  const paths = ['src/files/roots.ts:outline', 'test/fixtures/sources/prose.tar.xz', 'test/fixtures/documents/report.pdf'];
  const read = await Promise.all(paths.map((path) => oriel.tool('read').run({ path })));
  const found = await oriel.tool('grep').run({ pattern: 'export', path: 'src/errors.ts' });
  await oriel.close();
  return [...read, found].map(({ content }) => content[0].text).join('\\n');
}
`,
  'app.mjs': `
import { answers } from './answers.mjs';
answers().then(console.log);
`,
  'app/route.js': `
import { answers } from '../answers.mjs';
export const dynamic = 'force-static';
export const GET = async () => new Response(await answers());
`,
  'next.config.mjs': `export default { turbopack: { root: import.meta.dirname + '/..' } };`,
};

/** Bundles a program in a directory that has the package, and runs what came out of it there, and elsewhere. */
async function tryBundlers(home) {
  await mkdir(join(home, 'app'));
  for (const [name, code] of Object.entries(PROGRAMS)) await writeFile(join(home, name), code);
  const bundler = (name, ...args) =>
    run(join(work, 'node_modules/.bin', name), args, {
      cwd: home,
      env: { ...process.env, NEXT_TELEMETRY_DISABLED: '1' },
      maxBuffer: 1 << 26,
    });
  const answerOf = async (program, args = [], env = {}) =>
    (await run(program, args, { cwd: home, env: { ...process.env, ...env }, maxBuffer: 1 << 26 })).stdout;
  const expected = await answerOf(process.execPath, ['app.mjs']);
  await bundler('esbuild', 'app.mjs', '--bundle', '--platform=node', '--outfile=out/app.cjs');
  await bundler('esbuild', 'app.mjs', '--bundle', '--platform=node', '--format=esm', '--outfile=out/app.mjs');
  await bundler('webpack', '--target=node', '--mode=none', '--entry=./app.mjs', '--output-path=out/webpack');
  await bundler('bun', 'build', '--compile', 'app.mjs', '--outfile=out/app');
  const rolldown = join(root, 'node_modules/.bin/rolldown');
  await run(rolldown, ['app.mjs', '--platform=node', '--dir=out/rolldown'], { cwd: home });
  // A page that is made when it is built.
  await bundler('next', 'build');
  const made = ['-e', `process.stdout.write(fs.readFileSync('.next/server/app/index.body') + '\\n')`];
  const elsewhere = { ORIEL_PACKAGE: join(home, 'node_modules/oriel') };
  await cp(join(home, 'out/app'), join(work, 'app'));
  await cp(join(home, 'out/app.cjs'), join(work, 'app.cjs'));
  for (const [title, ...how] of [
    ['esbuild, CommonJS', process.execPath, ['out/app.cjs']],
    ['esbuild', process.execPath, ['out/app.mjs']],
    ['webpack', process.execPath, ['out/webpack/main.js']],
    ['rolldown', process.execPath, ['out/rolldown/app.js']],
    ['Next.js', process.execPath, made],
    ['bun build --compile', join(home, 'out/app')],
    ['esbuild, elsewhere', process.execPath, [join(work, 'app.cjs')], elsewhere],
    ['bun build --compile, elsewhere', join(work, 'app'), [], elsewhere],
  ]) {
    const answer = await answerOf(...how);
    if (answer !== expected) throw new Error(`a program of ${title} answers otherwise:\n${answer}`);
    console.log(`bundled by ${title}: the same answers`);
  }
  const alone = await answerOf(join(work, 'app'));
  if (!alone.includes('set ORIEL_PACKAGE')) throw new Error(`a program without the package says:\n${alone}`);
}

const FLEET = `
import { createFleet } from 'oriel/fleet';
console.log(createFleet({ workspaces: { dev: { url: 'http://127.0.0.1:1' } } }).names.join());
`;

/** What is published beside oriel: named where it is missing, in a project and for all projects, and found where it is installed. */
async function tryParts(tarball, tarballs) {
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  for (const [where, args, cli] of [
    ['project', [], 'node_modules/.bin/oriel'],
    ['global', ['--global', '--prefix', '.'], 'bin/oriel'],
  ]) {
    const home = join(work, where);
    const install = (...what) =>
      run('npm', ['install', ...args, '--omit=peer', '--omit=optional', '--no-audit', '--no-fund', ...what], {
        cwd: home,
      });
    await mkdir(home);
    if (where === 'project') await writeFile(join(home, 'package.json'), '{}');
    await install(tarball);
    await writeFile(join(home, 'state.key'), 'k'.repeat(32), { mode: 0o600 });
    await writeFile(join(home, 'fleet.mjs'), FLEET);
    const state = ['--state', 'redis://127.0.0.1:1', '--state-key-file', 'state.key'];
    const add = `npm install ${where === 'global' ? '--global ' : ''}`;
    const needsClients = `Use ${add}@oriel/scale@${version} keyv@5`;
    // Of each part the calls that need it, and what they say when it is there.
    const calls = [
      ['check', cli, ['check', '--case', 'nul', '--', join(home, cli), 'mcp', '{}'], '1 held, 0 broken'],
      ['scale', cli, ['read', 's3://box/', '--s3-endpoint', 'http://127.0.0.1:1'], 'ECONNREFUSED'],
      ['scale', cli, ['read', 'ws://', '--workspace', 'dev=http://127.0.0.1:1'], 'dev'],
      ['scale', cli, ['serve', ...state], needsClients],
      ['scale', cli, ['worker', ...state], needsClients],
      ...(where === 'project' ? [['scale', 'fleet.mjs', [], 'dev']] : []),
    ];
    const outputOf = async (program, args) => {
      const { stdout, stderr } = await run(process.execPath, [join(home, program), ...args], {
        cwd: home,
      }).catch((error) => error);
      return `${stdout}${stderr}`;
    };
    for (const [part, program, args] of calls) {
      const said = await outputOf(program, args);
      if (!said.includes(`Use ${add}@oriel/${part}@${version}`))
        throw new Error(`without @oriel/${part} it says: ${said}`);
    }
    await install(...tarballs);
    for (const [part, program, args, says] of calls) {
      const said = await outputOf(program, args);
      if (!said.includes(says)) throw new Error(`with @oriel/${part} it says: ${said}`);
    }
    console.log(`${where}: ${PARTS.join(', ')} named where missing, and found`);
  }
}

/** The keys of a manifest in which the validator of its kind does not look: they have no meaning to it. Throws if it is invalid. */
async function unknownKeys(manifest) {
  const left = new Set();
  const watched = (value, at) => {
    if (typeof value !== 'object' || value === null) return value;
    const inner = Object.entries(value).map(([key, one]) => [key, watched(one, `${at}.${key}`)]);
    if (Array.isArray(value)) return inner.map(([, one]) => one);
    for (const [key] of inner) left.add(`${at}.${key}`);
    return new Proxy(Object.fromEntries(inner), {
      get(target, key) {
        left.delete(`${at}.${String(key)}`);
        return target[key];
      },
    });
  };
  const models = createRequire(join(work, 'package.json'))(`kubernetes-models/${manifest.apiVersion}`);
  const model = new models[manifest.kind]({});
  Object.assign(model, watched(manifest, manifest.kind));
  model.validate();
  return [...left];
}

async function tryManifests() {
  for (const name of ['oriel.yaml', 'oriel-worker.yaml']) {
    const text = await readFile(join(root, 'deploy/kubernetes', name), 'utf8');
    for (const one of parseAllDocuments(text)) {
      const unknown = await unknownKeys(one.toJS());
      if (unknown.length > 0) throw new Error(`${name} has unknown keys: ${unknown.join()}`);
    }
  }
  const wrong = await unknownKeys({ apiVersion: 'v1', kind: 'Service', spec: { port: [] } });
  if (wrong.join() !== 'Service.spec.port') throw new Error(`an unknown key is not found: ${wrong.join()}`);
  console.log('kubernetes-models: clean');
}

const work = await mkdtemp(join(tmpdir(), 'oriel-package-'));
try {
  await mkdir(to, { recursive: true });
  await installed(work, ...TOOLS, ...BUNDLERS);
  const tool = (name, args, options) => run(join(work, 'node_modules/.bin', name), args, options);

  await run('node', ['scripts/shrinkwrap.mjs'], { cwd: root });
  await run('npm', ['pack', '--ignore-scripts', '--pack-destination', work], { cwd: root });
  await run('node', ['scripts/shrinkwrap.mjs', '--remove'], { cwd: root });
  for (const name of PARTS)
    await run('npm', ['pack', '--pack-destination', work], { cwd: join(root, 'packages', name) });
  const tarballs = (await readdir(work))
    .filter((name) => name.endsWith('.tgz'))
    .map((name) => join(work, name));
  const tarball = tarballs.find((path) => /[\\/]oriel-\d/.test(path));
  const { size } = await stat(tarball);
  console.log(`packed: ${(size / 2 ** 20).toFixed(2)} MiB`);
  if (size > MAX_PACKED_BYTES)
    throw new Error(`the package has ${size} bytes, more than ${MAX_PACKED_BYTES}`);

  for (const path of [root, ...PARTS.map((name) => join(root, 'packages', name))])
    await tool('publint', ['--strict', path]);
  console.log('publint: clean');
  await tool('attw', ['--profile', 'esm-only', tarball]);
  console.log('attw: clean');

  await tryManifests();

  // The registry's own program, which is not an npm package.
  const judged = await run('mcp-publisher', ['validate'], { cwd: root }).catch((error) => {
    if (error.code !== 'ENOENT') throw error;
  });
  console.log(`server.json: ${judged ? 'valid' : 'not judged, mcp-publisher is not on the PATH'}`);

  for (const [name, omitted, most] of [
    ['with everything', ['--omit=peer'], MAX_INSTALLED_BYTES],
    ['without optional parts', ['--omit=peer', '--omit=optional'], MAX_INSTALLED_BYTES_WITHOUT_OPTIONAL],
  ]) {
    const home = join(work, name.replaceAll(' ', '-'));
    await mkdir(home);
    await writeFile(join(home, 'package.json'), '{}');
    await run('npm', ['install', ...omitted, '--no-audit', '--no-fund', tarball], { cwd: home });
    const packages = await installedPackages(home);
    const installed = packages.reduce((sum, { bytes }) => sum + bytes, 0);
    console.log(`installed ${name}: ${packages.length} packages, ${(installed / 1e6).toFixed(1)} MB`);
    const withScripts = packages.filter(({ scripts }) => scripts.length > 0).map((one) => one.name);
    if (withScripts.length > 0) throw new Error(`scripts run on install: ${withScripts.join(', ')}`);
    if (process.platform === 'linux' && process.arch === 'x64' && installed > most)
      throw new Error(`${name} it has ${installed} bytes, more than ${most}`);
    if (packages.length > MAX_PACKAGES)
      throw new Error(`${name} it has ${packages.length} packages, more than ${MAX_PACKAGES}`);
    const [cli, file] = [join(home, 'node_modules/.bin/oriel'), join(home, 'package.json')];
    const { stdout } = await run(cli, ['read', file], { cwd: home });
    if (!stdout.includes('oriel')) throw new Error(`installed ${name} it reads nothing: ${stdout}`);
    const found = await run(process.execPath, [cli, 'grep', 'oriel', file], {
      cwd: home,
      env: { PATH: '' },
    }).catch((error) => error);
    const expected = omitted.includes('--omit=optional') ? 'Use npm install @vscode/ripgrep@' : '"oriel"';
    if (!`${found.stdout}${found.stderr}`.includes(expected))
      throw new Error(`installed ${name} it searches otherwise: ${found.stdout}${found.stderr}`);
    if (!omitted.includes('--omit=optional')) await tryBundlers(home);
  }

  await tryParts(tarball, tarballs);

  const bundle = join(work, 'bundle');
  await mkdir(bundle);
  await run('tar', ['-xzf', tarball, '-C', bundle, '--strip-components=1']);
  await run('npm', ['install', '--omit=dev', '--omit=peer', '--no-audit', '--no-fund', '--ignore-scripts'], {
    cwd: bundle,
  });
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const manifest = JSON.parse(await readFile(join(root, 'packaging/mcpb/manifest.json'), 'utf8'));
  manifest.version = version;
  manifest.compatibility.platforms = [process.platform];
  await writeFile(join(bundle, 'manifest.json'), JSON.stringify(manifest, null, 2));
  await tool('mcpb', ['validate', join(bundle, 'manifest.json')]);
  const name = `oriel-${version}-${process.platform}-${process.arch}.mcpb`;
  await tool('mcpb', ['pack', bundle, join(work, name)], { maxBuffer: 1 << 26 });
  await cp(join(work, name), join(to, `${name}.part`));
  await rename(join(to, `${name}.part`), join(to, name));
  const bytes = (await stat(join(to, name))).size;
  console.log(`mcpb: valid, ${(bytes / 2 ** 20).toFixed(1)} MiB: ${join(to, name)}`);
} catch (error) {
  console.error(`${error.stdout ?? ''}${error.stderr ?? ''}${error.message}`);
  process.exitCode = 1;
} finally {
  await rm(work, { recursive: true, force: true });
}
