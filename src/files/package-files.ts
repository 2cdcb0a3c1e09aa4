/** Finds the package's own files (worker entries, assets, its manifest), wherever the bundler put this code. */

import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { OrielError } from '../errors.ts';
import { quote } from '../text/visible.ts';

let root: URL | undefined;
let findBuild: (() => URL) | undefined;

/** Sets how the directory is found that holds the build, for tests of the source code: a URL that ends with `/`. */
export function useBuild(find: () => URL): void {
  findBuild = find;
}

/** The environment variable with the directory of this package, for programs that bundle its code and not its files. */
const HOME_VARIABLE = 'ORIEL_PACKAGE';

/** The version of this code, which the build sets. */
declare const ORIEL_VERSION: string | undefined;

/** The directory of this package. Throws OrielError (`UNSUPPORTED`) if it is not found. */
function packageRoot(): URL {
  return (root ??= findPackage());
}

/** Above this code; otherwise it was bundled, and the package is installed where the program is, or beside it. */
function findPackage(): URL {
  const named = process.env[HOME_VARIABLE];
  // A bundler to CommonJS leaves no URL of this code, and that of a compiled program is on no disk.
  const code = (import.meta.url as string | undefined) ?? '';
  const programs = [programFile(), process.execPath].map((path) => pathToFileURL(path).href);
  const candidates =
    named !== undefined
      ? [pathToFileURL(`${resolve(named)}/`)]
      : [
          ...directoriesAbove(code),
          ...[code, ...programs].flatMap((url) =>
            directoriesAbove(url).map((at) => new URL('node_modules/oriel/', at)),
          ),
          new URL('oriel/', pathToFileURL(process.execPath)),
        ];
  const found = candidates.find((at) => isPackage(at, code));
  if (found !== undefined) return found;
  const own = typeof ORIEL_VERSION === 'undefined' ? '' : ` ${ORIEL_VERSION}`;
  throw new OrielError(
    'UNSUPPORTED',
    named !== undefined
      ? `${HOME_VARIABLE} does not name the directory of the package oriel${own}: ${quote(named)}.`
      : `This program contains the code of oriel${own}, but not its files (grammars, workers). Install the package oriel, ` +
          `in the same version, where the program is, or set ${HOME_VARIABLE} to its directory.`,
  );
}

/** The file of the program that runs. Behind `-` and `-e` there are arguments: names in the working directory, or of any project. */
function programFile(): string {
  const [, file = ''] = process.argv;
  const isText = process.execArgv.some((option) => /^(?:-p?e|-p|--(?:eval|print)(?:=.*)?)$/s.test(option));
  return isAbsolute(file) && !isText ? file : process.execPath;
}

function directoriesAbove(url: string): URL[] {
  if (!url.startsWith('file:')) return [];
  const found = [new URL('./', url)];
  for (let at = found[0] as URL; at.pathname !== new URL('../', at).pathname; found.push(at))
    at = new URL('../', at);
  return found;
}

/** Files of another version would be read and understood differently. Code in the package is of its version. */
function isPackage(directory: URL, code: string): boolean {
  try {
    const { name, version } = manifestIn(directory);
    const isAny = typeof ORIEL_VERSION === 'undefined' || code.startsWith(directory.href);
    return name === 'oriel' && (isAny || version === ORIEL_VERSION);
  } catch {
    return false;
  }
}

/** The absolute path of a directory of the package: `docs`. */
export function packageDirectory(name: string): string {
  return fileURLToPath(new URL(name, packageRoot()));
}

/** The URL of a file of the build, by its path below `dist/`: `"code/outline-worker.js"`. */
export function builtFile(path: string): URL {
  const url = new URL(`dist/${path}`, findBuild?.() ?? packageRoot());
  if (!existsSync(url)) throw new Error(`The package is incomplete: ${url.pathname} is missing.`);
  return url;
}

/** The version of this package, from its package.json. */
export function version(): string {
  return manifest().version;
}

function manifest(): PackageManifest {
  return manifestIn(packageRoot());
}

function manifestIn(directory: URL): PackageManifest {
  return JSON.parse(readFileSync(new URL('package.json', directory), 'utf8')) as PackageManifest;
}

/** Finds packages as the files of this package would. */
export function packageRequire(): NodeJS.Require {
  return createRequire(new URL('package.json', packageRoot()));
}

/**
 * The code of a package that is published beside this one, in its version: installed next to it, where the program is, or for
 * all projects. Throws OrielError (`UNSUPPORTED`) with the command that adds it.
 */
export function siblingPackage(part: 'check' | 'scale'): URL {
  const name = `@oriel/${part}`;
  const needed = version();
  const places = [
    new URL('package.json', findBuild?.() ?? packageRoot()),
    pathToFileURL(programFile()),
    pathToFileURL(resolve(process.execPath, '../../lib/oriel')),
  ].flatMap((from) => createRequire(from).resolve.paths(name) ?? []);
  const found = places.flatMap((at) => packageIn(pathToFileURL(join(at, name, '/'))));
  const fitting = found.find((at) => at.version === needed);
  if (fitting) return fitting.entry;
  const has = found[0] === undefined ? 'not installed' : `installed in version ${found[0].version}`;
  throw new OrielError(
    'UNSUPPORTED',
    `This needs the package ${name}@${needed}, which is ${has}. Use ${installCommand([`${name}@${needed}`])}`,
  );
}

/** None if a part of it is missing, as after an installation that was interrupted. */
function packageIn(directory: URL): { readonly version: string; readonly entry: URL }[] {
  try {
    const { version, exports } = manifestIn(directory);
    const entry = new URL(exports['.'], directory);
    return existsSync(entry) ? [{ version, entry }] : [];
  } catch {
    return [];
  }
}

/**
 * What that package does, when it has received what it uses of this one. It is not waited for, because `createOriel` and
 * `createFleet` are synchronous.
 */
export function requireSibling(part: 'scale', host: object): unknown {
  const url = siblingPackage(part);
  const found = (createRequire(url)(fileURLToPath(url)) as Record<string, SiblingPackage>)[part];
  found?.receiveOriel(host);
  return found;
}

interface SiblingPackage {
  receiveOriel(host: object): void;
}

interface PackageManifest {
  readonly name: string;
  readonly version: string;
  readonly exports: Readonly<Record<'.', string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/**
 * The command that adds packages (`sharp`, `keyv@^5.6.0`) to this installation; optional ones in the tested version. It names no
 * directory, because a client of a server can see it. `root`: the directory of this package, a URL that ends with `/`.
 */
export function installCommand(packages: readonly string[], root = packageRoot()): string {
  const { optionalDependencies = {} } = manifest();
  const named = packages.map((name) => {
    const tested = optionalDependencies[name];
    return tested === undefined ? name : `${name}@${tested}`;
  });
  const path = fileURLToPath(root);
  // The packages of npx are chosen when it is started.
  if (/[/\\]_npx[/\\]/.test(path))
    return `npx -y ${['oriel', ...named].map((name) => `-p ${name}`).join(' ')} oriel`;
  const [, project = path, store] = /^(.*?[/\\])node_modules[/\\](\.pnpm[/\\])?/.exec(path) ?? [];
  const words = named.join(' ');
  // What npm installed for all projects belongs to none.
  if (!existsSync(join(project, 'package.json'))) return `npm install --global ${words}`;
  const command = `${store === undefined ? 'npm install' : 'pnpm add'} ${words}`;
  return resolve(project) === resolve('.') ? command : `${command} in the project that has oriel`;
}

const digestsOfCode = new Map<string, string>();

/** A digest that changes with the built code of an entry (see `builtFile`) and the installed versions of `packages`. */
export function digestOfCode(path: string, packages: readonly string[]): string {
  const known = digestsOfCode.get(path) ?? readDigest(path, packages);
  digestsOfCode.set(path, known);
  return known;
}

function readDigest(path: string, packages: readonly string[]): string {
  const entry = builtFile(path);
  const digest = createHash('sha256').update(readFileSync(entry));
  for (const name of packages) digest.update(`\0${name} ${manifestVersion(name, fileURLToPath(entry))}`);
  return digest.digest('hex');
}

/** Empty for a package that is not installed. */
function manifestVersion(name: string, from: string): string {
  for (let at = dirname(from); ; at = dirname(at)) {
    const manifest = join(at, 'node_modules', name, 'package.json');
    if (existsSync(manifest))
      return (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version;
    if (at === dirname(at)) return '';
  }
}

// Reads the package's own data files, which are beside the built code.

/** The bytes of a file below `dist/`: `"grammars/go.wasm.br"`. */
export async function asset(path: string): Promise<Uint8Array> {
  return readFile(builtFile(path));
}

// The SHA-256 of bytes in memory, computed in pieces so that the event loop is not blocked.

/** Bytes that are hashed before the event loop runs again: 2 ms. */
const PIECE = 512 << 10;

/** Hexadecimal. */
export async function sha256Of(bytes: Uint8Array): Promise<string> {
  const digest = createHash('sha256');
  for (let at = 0; at < bytes.length; at += PIECE) {
    if (at > 0) await setImmediate();
    digest.update(bytes.subarray(at, at + PIECE));
  }
  return digest.digest('hex');
}

// Finds and compares versions of installed packages.

/** The version that code at the URL `from` (that of this package when absent) would import; undefined if there is none. */
export function installedVersion(name: string, from?: string): string | undefined {
  const require = requireOf(from);
  if (!require) return undefined;
  for (const directory of require.resolve.paths(name) ?? []) {
    try {
      const manifest: unknown = require(join(directory, name, 'package.json'));
      const { version } = manifest as { readonly version?: unknown };
      return typeof version === 'string' ? version : undefined;
    } catch {
      // Not in this directory: the next one is tried, as Node does.
    }
  }
  return undefined;
}

function requireOf(from: string | undefined): NodeJS.Require | undefined {
  if (from !== undefined) return createRequire(from);
  try {
    return packageRequire();
  } catch {
    return undefined; // All of it is bundled.
  }
}

/** Compares major, minor and patch; pre-release tags are ignored. */
export function isOlder(version: string, than: string): boolean {
  const numbersOf = (text: string): number[] => text.split('.', 3).map((part) => Number.parseInt(part, 10));
  const given = numbersOf(version);
  for (const [i, part] of numbersOf(than).entries()) {
    const own = given[i] ?? 0;
    if (own !== part) return own < part;
  }
  return false;
}
