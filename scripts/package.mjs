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

/** Maximum bytes of the packed package, most of which are grammars and what reads documents and pages. */
const MAX_PACKED_BYTES = 4.5 * 2 ** 20;

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
