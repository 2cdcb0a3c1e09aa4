/** Where the files of this package are found, wherever its code was put. */

import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test, vi } from 'vitest';
import * as files from '../../src/files/package-files.ts';

/** A package with a build of the given files, in a directory with installed packages beside it. */
function packaged(built: Readonly<Record<string, string>>): string {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'oriel-package-')));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const root = join(home, 'node_modules/oriel');
  for (const [path, text] of Object.entries(built)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

/** The module as it is loaded first, used with the package at `root`. */
async function fresh(root?: string): Promise<typeof files> {
  vi.resetModules();
  const loaded = await import('../../src/files/package-files.ts');
  if (root !== undefined) loaded.useBuild(() => pathToFileURL(`${root}/`));
  return loaded;
}

function install(at: string, name: string, version: string): void {
  const directory = join(at, 'node_modules', name);
  mkdirSync(join(directory, 'dist'), { recursive: true });
  writeFileSync(join(directory, 'dist/index.js'), '');
  writeFileSync(
    join(directory, 'package.json'),
    JSON.stringify({ version, exports: { '.': './dist/index.js' } }),
  );
}

test('the package is the nearest directory with a package.json', async () => {
  const { packageDirectory, version } = await fresh();
  expect(packageDirectory('docs')).toBe(resolve('docs'));
  const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  expect(version()).toBe(manifest.version);
});

test('a program that has only the code is told where its files are', async () => {
  onTestFinished(() => void vi.unstubAllEnvs());
  const root = packaged({ 'package.json': '{ "name": "oriel", "version": "7.0.0" }', 'dist/a.js': '' });
  vi.stubEnv('ORIEL_PACKAGE', root);
  const { builtFile, version } = await fresh();
  expect(version()).toBe('7.0.0');
  expect(builtFile('a.js').href).toBe(`${pathToFileURL(root).href}/dist/a.js`);
});

test('a program refuses the files of another version than that of its code', async () => {
  onTestFinished(() => void vi.unstubAllEnvs());
  onTestFinished(() => void vi.unstubAllGlobals());
  const root = packaged({ 'package.json': '{ "name": "oriel", "version": "7.0.0" }' });
  vi.stubEnv('ORIEL_PACKAGE', root);
  vi.stubGlobal('ORIEL_VERSION', '7.1.0');
  expect((await fresh()).version).toThrow(
    `ORIEL_PACKAGE does not name the directory of the package oriel 7.1.0: ${root}.`,
  );
  vi.stubGlobal('ORIEL_VERSION', '7.0.0');
  expect((await fresh()).version()).toBe('7.0.0');
});

test('a package of another name is not taken for ours', async () => {
  onTestFinished(() => void vi.unstubAllEnvs());
  const root = packaged({ 'package.json': '{ "name": "app" }' });
  vi.stubEnv('ORIEL_PACKAGE', root);
  const { version } = await fresh();
  expect(version).toThrow(`ORIEL_PACKAGE does not name the directory of the package oriel: ${root}.`);
});

test('the command that adds a package fits the installation', () => {
  const root = packaged({ 'package.json': '{}' });
  const url = pathToFileURL(`${root}/`);
  const { sharp } = (JSON.parse(readFileSync('package.json', 'utf8')) as PackageFile).optionalDependencies;
  expect(files.installCommand(['sharp'])).toBe(`npm install sharp@${sharp}`);
  expect(files.installCommand(['keyv@^5.6.0', 'pg'], url)).toBe('npm install --global keyv@^5.6.0 pg');
  const home = resolve(root, '../..');
  writeFileSync(join(home, 'package.json'), '{}');
  expect(files.installCommand(['pg'], url)).toBe('npm install pg in the project that has oriel');
  const inStore = pathToFileURL(`${home}/node_modules/.pnpm/oriel@1/node_modules/oriel/`);
  expect(files.installCommand(['pg'], inStore)).toBe('pnpm add pg in the project that has oriel');
  const inCache = pathToFileURL(`${home}/_npx/0a1b/node_modules/oriel/`);
  expect(files.installCommand(['pg', 'keyv@5'], inCache)).toBe('npx -y -p oriel -p pg -p keyv@5 oriel');
  vi.spyOn(process, 'cwd').mockReturnValue(home);
  onTestFinished(() => void vi.restoreAllMocks());
  expect(files.installCommand(['pg'], url)).toBe('npm install pg');
});

interface PackageFile {
  readonly optionalDependencies: Readonly<Record<string, string>>;
}

/** As if node had got `file` in place of the program of the tests, behind these options. */
function useProgram(file: string, options: readonly string[] = []): void {
  const { argv, execArgv } = process;
  onTestFinished(() => void Object.assign(process, { argv, execArgv }));
  Object.assign(process, { argv: [argv[0], file], execArgv: options });
}

test('a package beside this one is found in its version only', async () => {
  onTestFinished(() => void vi.unstubAllEnvs());
  const root = packaged({ 'package.json': '{ "name": "oriel", "version": "7.0.0" }' });
  const home = resolve(root, '../..');
  vi.stubEnv('ORIEL_PACKAGE', root);
  useProgram(join(home, 'app.js'));
  const { siblingPackage } = await fresh();
  const find = (): string => siblingPackage('check').href;
  const command = 'Use npm install --global @oriel/check@7.0.0';
  expect(find).toThrow(`This needs the package @oriel/check@7.0.0, which is not installed. ${command}`);
  install(home, '@oriel/check', '6.0.0');
  expect(find).toThrow(
    `This needs the package @oriel/check@7.0.0, which is installed in version 6.0.0. ${command}`,
  );
  install(root, '@oriel/check', '7.0.0');
  expect(find()).toBe(pathToFileURL(join(root, 'node_modules/@oriel/check/dist/index.js')).href);
});

test('one whose installation was interrupted does not hide another', async () => {
  onTestFinished(() => void vi.unstubAllEnvs());
  const root = packaged({ 'package.json': '{ "name": "oriel", "version": "7.0.0" }' });
  const home = resolve(root, '../..');
  vi.stubEnv('ORIEL_PACKAGE', root);
  useProgram(join(home, 'app.js'));
  const { siblingPackage } = await fresh();
  const find = (): string => siblingPackage('scale').href;
  install(root, '@oriel/scale', '7.0.0');
  const broken = join(root, 'node_modules/@oriel/scale');
  rmSync(join(broken, 'dist'), { recursive: true });
  expect(find).toThrow('This needs the package @oriel/scale@7.0.0, which is not installed.');
  rmSync(join(broken, 'package.json'));
  expect(find).toThrow('This needs the package @oriel/scale@7.0.0, which is not installed.');
  install(home, '@oriel/scale', '7.0.0');
  expect(find()).toBe(pathToFileURL(join(home, 'node_modules/@oriel/scale/dist/index.js')).href);
});

test.each([
  ['of text from stdin', '-', []],
  ['of text behind -e', '', ['-e', 'code']],
  ['of text behind --eval=', '', ['--eval=code']],
])('an argument of a program %s names no place of packages', async (_, argument, options) => {
  onTestFinished(() => void vi.unstubAllEnvs());
  const root = packaged({ 'package.json': '{ "name": "oriel", "version": "7.0.0" }' });
  const project = dirname(packaged({ 'a.js': '' }));
  install(dirname(project), '@oriel/scale', '7.0.0');
  vi.stubEnv('ORIEL_PACKAGE', root);
  vi.spyOn(process, 'cwd').mockReturnValue(dirname(project));
  onTestFinished(() => void vi.restoreAllMocks());
  useProgram(argument || join(dirname(project), 'a.txt'), options);
  const { siblingPackage } = await fresh();
  expect(() => siblingPackage('scale')).toThrow('which is not installed');
});

test('a file of the build, by its path below dist', async () => {
  const root = packaged({ 'dist/views/a worker.js': 'code' });
  const { builtFile } = await fresh(root);
  expect(builtFile('views/a worker.js').href).toBe(`${pathToFileURL(root).href}/dist/views/a%20worker.js`);
  expect(() => builtFile('views/none.js')).toThrow(
    new Error(`The package is incomplete: ${root}/dist/views/none.js is missing.`),
  );
});

test('the digest changes with the code and its package versions', async () => {
  const root = packaged({ 'dist/worker.js': 'code', 'dist/other.js': 'other code', 'dist/same.js': 'code' });
  const home = resolve(root, '../..');
  install(home, 'parser', '1.0.0');
  install(home, '@scope/table', '7.0.0');
  // A process reads it once.
  const digest = async (path = 'worker.js', names = ['parser', '@scope/table']): Promise<string> =>
    (await fresh(root)).digestOfCode(path, names);
  const first = await digest();
  expect(first).toMatch(/^[\da-f]{64}$/);
  expect([await digest(), await digest('same.js')]).toStrictEqual([first, first]);
  const others = [
    await digest('other.js'),
    await digest('worker.js', ['parser']),
    await digest('worker.js', []),
  ];
  install(home, '@scope/table', '7.0.1');
  others.push(await digest());
  // A version that is nearer to the code has priority; in the outer one nothing changes.
  install(root, 'parser', '2.0.0');
  others.push(await digest());
  expect(new Set([first, ...others]).size).toBe(6);
  install(home, 'parser', '1.1.0');
  expect(await digest()).toBe(others.at(-1));
});

test('in the digest a missing package has an empty version', async () => {
  const root = packaged({ 'dist/worker.js': 'code' });
  const digest = async (): Promise<string> =>
    (await fresh(root)).digestOfCode('worker.js', ['not-installed-anywhere']);
  const without = await digest();
  install(root, 'not-installed-anywhere', '');
  expect(await digest()).toBe(without);
  install(root, 'not-installed-anywhere', '1.0.0');
  expect(await digest()).not.toBe(without);
});

test('code without its files says what is missing', async () => {
  vi.doMock('node:fs', async (original) => ({
    ...(await original<typeof import('node:fs')>()),
    readFileSync: () => '{ "name": "app" }',
  }));
  onTestFinished(() => void vi.doUnmock('node:fs'));
  const { version } = await fresh();
  expect(version).toThrow(
    'This program contains the code of oriel, but not its files (grammars, workers). Install the package oriel, ' +
      'in the same version, where the program is, or set ORIEL_PACKAGE to its directory.',
  );
});

test.each([
  ['1.2.3', '1.2.4', true],
  ['1.2.4', '1.2.3', false],
  ['1.2.3', '1.2.3', false],
  ['1.9.0', '1.10.0', true],
  ['2.0.0', '1.9.9', false],
  ['1.2', '1.2.1', true],
  ['1.2.1', '1.2', false],
  ['1.2.3-beta.1', '1.2.3', false],
  ['1.2.2+build.9', '1.2.3-rc', true],
])('%s is older than %s: %j', (version, than, older) => {
  expect(files.isOlder(version, than)).toBe(older);
});

test('the version that code would import, from the nearest directory', () => {
  const root = packaged({ 'package.json': '{}' });
  const home = resolve(root, '../..');
  const from = pathToFileURL(`${root}/index.js`).href;
  expect(files.installedVersion('table', from)).toBeUndefined();
  install(home, 'table', '1.0.0');
  expect(files.installedVersion('table', from)).toBe('1.0.0');
  install(root, 'table', '2.0.0');
  expect(files.installedVersion('table', from)).toBe('2.0.0');
  const unnamed = join(home, 'node_modules/unnamed');
  mkdirSync(unnamed);
  writeFileSync(join(unnamed, 'package.json'), '{ "version": 3 }');
  expect(files.installedVersion('unnamed', from)).toBeUndefined();
  expect(files.installedVersion('zod')).toMatch(/^4\./);
  expect(files.installedVersion('fs')).toBeUndefined();
});
