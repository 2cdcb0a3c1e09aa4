/** What a child process may do: read the installed code, and nothing else. */

import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { builtFile } from '../files/package-files.ts';
import { landlockVersion } from './landlock.ts';
import { RUNTIME } from './runtime.ts';

/** The arguments with which this runtime starts a confined child with this entry. `heapMb`: not of Bun, which has no such flag. */
export function childArguments(entry: string, heapMb: number): string[] {
  if (RUNTIME === 'bun') {
    isUnconfined = missingConfinement() !== undefined;
    if (process.platform !== 'linux') return [entry];
    const confine = fileURLToPath(builtFile('process/landlock-child.js'));
    return [confine, JSON.stringify([...codeDirectories(entry)]), entry];
  }
  const heap = `--max-old-space-size=${heapMb}`;
  const noStrings = '--disallow-code-generation-from-strings';
  if (RUNTIME === 'node') return [heap, noStrings, ...confinedCommand(entry), entry];
  const code = [...codeDirectories(entry), ...packageDirectories(entry)].join();
  const allowed = [`--allow-read=${code}`, `--allow-ffi=${code}`, '--allow-env', '--allow-sys'];
  const flags = ['--no-prompt', '--no-config', '--no-lock', '--node-modules-dir=manual'];
  return ['run', ...flags, `--v8-flags=${heap},${noStrings}`, ...allowed, entry];
}

/** Every `node_modules` in which packages are looked for, whether it exists or not: Deno asks before it looks. */
function packageDirectories(entry: string): string[] {
  const at = dirname(entry);
  return [...(at === dirname(at) ? [] : packageDirectories(at)), join(at, 'node_modules')];
}

let isUnconfined = false;

/** What is not confined here, if a child process was started without confinement. */
export function unconfinedStart(): string | undefined {
  return isUnconfined ? missingConfinement() : undefined;
}

/** What is not confined under Bun; undefined if all is. */
export function missingConfinement(): string | undefined {
  if (landlockVersion() > 0) return undefined;
  return (
    'Bun cannot confine the processes that read documents, images and pages here (Landlock is missing), so a flaw in a ' +
    'library could let a file do what you may. Node and Deno can.'
  );
}

/** Flags of Node's permission model: no writes, no processes, no threads, and reads only of installed code. */
export function confinedCommand(entry: string): string[] {
  const flags = process.allowedNodeEnvironmentFlags;
  const permission = ['--permission', '--experimental-permission'].find((flag) => flags.has(flag));
  if (permission === undefined) return [];
  const readable = Array.from(codeDirectories(entry), (directory) => `--allow-fs-read=${directory}${sep}`);
  return [permission, '--allow-addons', ...readable];
}

/**
 * The directory of the entry's package (of the entry itself without a package), and every `node_modules` that may contain
 * its dependencies. Also by their real paths: `node_modules` of a work tree or container may be a symbolic link.
 */
function codeDirectories(entry: string): Iterable<string> {
  // A set, because Node 20 aborts if a directory is given twice.
  const found = new Set<string>();
  let own: string | undefined;
  for (let at = dirname(entry); at !== dirname(at); at = dirname(at)) {
    if (own === undefined && existsSync(join(at, 'package.json'))) found.add((own = at));
    if (basename(at) === 'node_modules') found.add(at);
    else if (existsSync(join(at, 'node_modules'))) found.add(join(at, 'node_modules'));
  }
  if (own === undefined) found.add(dirname(entry));
  return new Set([...found, ...Array.from(found, (directory) => realpathSync(directory))]);
}
