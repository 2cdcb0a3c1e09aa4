#!/usr/bin/env node
/**
 * The built `main.js`: runs the command line with the code that V8 kept of an earlier start. Without it a third of a start is
 * compiling. Kept are all functions that a command has used, in a file for each command, build and version of V8.
 */

import { createHash } from 'node:crypto';
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Script } from 'node:vm';

/** Replaced by the build: a digest of the code. */
declare const BUILD: string;

const PROGRAM = 'program.cjs';

/** Commands that agents and scripts start often. */
const COMMANDS = new Set(['read', 'bash', 'grep', 'find', 'ls', 'mcp', 'serve']);

/** Milliseconds after which a server keeps its code: before a map sets flags of V8, with which no start could use it. */
const SERVED_MS = 1_000;

/** Files that were made so long ago are removed when another one is made. */
const KEEP_MS = 30 * 24 * 60 * 60 * 1_000;

/** A file of kept code begins with a digest of what follows. */
const DIGEST_BYTES = 20;

/** Functions that code of CommonJS is called with. */
type WrappedCode = (exports: object, require: (id: string) => unknown, path: string) => void;

const here = import.meta.dirname;
const required = createRequire(join(here, PROGRAM));
const modules = new Map<string, { exports: object }>();
const [, , command = ''] = process.argv;
const place = codePlace();
let scripts = place && new Map<string, Script>();
/** A descriptor that can be given back. */
let spare: number | undefined;
const kept = (place === undefined ? undefined : readKept(place)) ?? new Map<string, Buffer>();

/** The directory and the name of the file; undefined if nothing is to be kept. */
function codePlace(): { readonly directory: string; readonly path: string } | undefined {
  const { HOME, USERPROFILE, XDG_CACHE_HOME, NODE_V8_COVERAGE, NODE_DISABLE_COMPILE_CACHE } = process.env;
  const cache = XDG_CACHE_HOME?.startsWith('/') ? XDG_CACHE_HOME : join(HOME ?? USERPROFILE ?? '', '.cache');
  const isOff = NODE_V8_COVERAGE ?? NODE_DISABLE_COMPILE_CACHE ?? process.argv.includes('--no-cache');
  if (isOff !== false || !COMMANDS.has(command) || !cache.startsWith(resolve('/'))) return undefined;
  const directory = join(cache, 'oriel', 'code');
  return {
    directory,
    path: join(directory, `${BUILD}-${process.versions.v8}-${process.arch}-${command}`),
  };
}

/** The kept code by the names of files; undefined if there is none that nobody else can have written. */
function readKept({ directory, path }: NonNullable<typeof place>): Map<string, Buffer> | undefined {
  try {
    if (!isOwnDirectory(directory)) return undefined;
    const file = openSync(path, constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      if (!isOwn(fstatSync(file))) return undefined;
      const bytes = readFileSync(file);
      const code = bytes.subarray(DIGEST_BYTES);
      // V8 does not look whether code is damaged, and the process would end with it.
      if (!digestOf(code).equals(bytes.subarray(0, DIGEST_BYTES))) return undefined;
      let at = code.indexOf('\n') + 1;
      const sizes = JSON.parse(code.toString('latin1', 0, at)) as Readonly<Record<string, number>>;
      return new Map(Object.entries(sizes).map(([name, size]) => [name, code.subarray(at, (at += size))]));
    } finally {
      closeSync(file);
    }
  } catch {
    return undefined;
  }
}

function digestOf(code: Buffer): Buffer {
  return createHash('sha1').update(code).digest();
}

/** Whether both directories of kept code are this user's own, and no links to others. */
function isOwnDirectory(directory: string): boolean {
  return [dirname(directory), directory].every((at) => isOwn(lstatSync(at)));
}

/** Whether it belongs to this user, and nobody else can write to it. */
function isOwn(stats: Stats): boolean {
  return !process.getuid || (stats.uid === process.getuid() && (stats.mode & 0o022) === 0);
}

/** Keeps the code that this process has used so far, once, unless what an earlier one kept was of use. */
function keep({ directory, path }: NonNullable<typeof place>): void {
  const used = [...(scripts ?? [])];
  scripts = undefined;
  kept.clear();
  const [[, first] = []] = used;
  if (first === undefined || first.cachedDataRejected === false) return;
  try {
    // Not recursive: below /proc Node would try for ever.
    for (const at of [dirname(dirname(directory)), dirname(directory), directory])
      if (!existsSync(at)) mkdirSync(at, { mode: 0o700 });
    if (!isOwnDirectory(directory)) return;
    for (const name of readdirSync(directory)) {
      const old = join(directory, name);
      if (lstatSync(old).mtimeMs < Date.now() - KEEP_MS) rmSync(old, { force: true });
    }
    const codes = used.map(([name, script]) => [name, script.createCachedData()] as const);
    const sizes = Object.fromEntries(codes.map(([name, { length }]) => [name, length]));
    const fresh = `${path}.${process.pid}`;
    const bytes = Buffer.concat([
      Buffer.from(`${JSON.stringify(sizes)}\n`),
      ...codes.map(([, code]) => code),
    ]);
    writeFileSync(fresh, Buffer.concat([digestOf(bytes), bytes]), { flag: 'wx', mode: 0o600, flush: true });
    renameSync(fresh, path);
  } catch {
    // The next start compiles as this one did.
  }
}

/** The text of a file of the build, also when this process has no descriptor left: a server loads code when a call needs it. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch (error) {
    if (spare === undefined || (error as NodeJS.ErrnoException).code !== 'EMFILE') throw error;
    closeSync(spare);
    spare = undefined;
    const text = readFileSync(path, 'latin1');
    spare = openSync(path, 'r');
    return text;
  }
}

/** Runs a file of the build once, and returns what it exports. */
function run(path: string): object {
  const known = modules.get(path);
  if (known) return known.exports;
  const module = { exports: {} };
  modules.set(path, module);
  try {
    const name = path.slice(dirname(dirname(here)).length);
    const script = new Script(`(function(exports,require,__filename){${textOf(path)}\n})`, {
      filename: pathToFileURL(path).href,
      cachedData: kept.get(name),
    });
    scripts?.set(name, script);
    const code = script.runInThisContext() as WrappedCode;
    const require = (id: string): unknown =>
      id.startsWith('.') ? run(resolve(dirname(path), id)) : required(id);
    // The code of a script cannot import by itself.
    code(module.exports, Object.assign(require, { load: (url: string): unknown => import(url) }), path);
  } catch (error) {
    modules.delete(path);
    throw error;
  }
  return module.exports;
}

if (process.versions['bun'] !== undefined || process.versions['deno'] !== undefined) required(`./${PROGRAM}`);
else {
  if (place !== undefined) {
    process.once('exit', (code) => {
      if (code === 0) keep(place);
    });
    setTimeout(() => keep(place), SERVED_MS).unref();
  }
  spare = openSync(import.meta.filename, 'r');
  run(join(here, PROGRAM));
}
