/** What a child process may do: read the installed code, and nothing else. */

import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';

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
