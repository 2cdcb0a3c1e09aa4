// npm run package [-- FOLDER]: builds what is published and checks it with external tools: publint and attw for npm, mcpb for
// one-click installation. The bundle is written to FOLDER (default .bench/package), with the binaries of this platform.
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = fileURLToPath(new URL('..', import.meta.url));
const to = resolve(process.argv[2] ?? join(root, '.bench/package'));

const TOOLS = ['publint@0.3.25', '@arethetypeswrong/cli@0.18.5', '@anthropic-ai/mcpb@2.1.2'];

/** Maximum bytes of the packed package, most of which are grammars, WebAssembly and what reads documents and pages. */
const MAX_PACKED_BYTES = 7.25 * 2 ** 20;

/** Maximum bytes of the files below `node_modules` after an installation on Linux, x64, with glibc. */
const MAX_INSTALLED_BYTES = 75e6;
const MAX_INSTALLED_BYTES_WITHOUT_OPTIONAL = 32e6;

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

const work = await mkdtemp(join(tmpdir(), 'oriel-package-'));
try {
  await mkdir(to, { recursive: true });
  await run('npm', ['install', '--prefix', work, '--no-audit', '--no-fund', ...TOOLS]);
  const tool = (name, args, options) => run(join(work, 'node_modules/.bin', name), args, options);

  await run('node', ['scripts/shrinkwrap.mjs'], { cwd: root });
  await run('npm', ['pack', '--ignore-scripts', '--pack-destination', work], { cwd: root });
  await run('node', ['scripts/shrinkwrap.mjs', '--remove'], { cwd: root });
  const tarball = join(
    work,
    (await readdir(work)).find((name) => name.endsWith('.tgz')),
  );
  const { size } = await stat(tarball);
  console.log(`packed: ${(size / 2 ** 20).toFixed(2)} MiB`);
  if (size > MAX_PACKED_BYTES)
    throw new Error(`the package has ${size} bytes, more than ${MAX_PACKED_BYTES}`);

  await tool('publint', ['--strict', root]);
  console.log('publint: clean');
  await tool('attw', ['--profile', 'esm-only', tarball]);
  console.log('attw: clean');

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
    const found = await run(cli, ['call', 'grep', '{"pattern":"o.iel","glob":"package.json"}'], {
      cwd: home,
    });
    if (!/package\.json[\s\S]*oriel/.test(found.stdout))
      throw new Error(`installed ${name} it finds nothing: ${found.stdout}`);
  }

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
