/** Finds the ripgrep binary: the one of the package, otherwise one on PATH. */

import { accessSync, closeSync, constants, openSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, isAbsolute, join } from 'node:path';
import { OrielError } from '../errors.ts';
import { installCommand, packageRequire } from '../files/package-files.ts';
import { isShortage } from '../files/system-failure.ts';

let knownRipgrepPath: string | undefined;

/** The absolute path, searched once per process. Throws `UNSUPPORTED`, and the system's error if there are no descriptors. */
export function ripgrepPath(): string {
  if (knownRipgrepPath !== undefined) return knownRipgrepPath;
  // Without a free descriptor Node.js does not find the package, and remembers that for the rest of the process.
  expectDescriptor();
  knownRipgrepPath = packaged() ?? onPath(process.env['PATH'] ?? '');
  if (knownRipgrepPath !== undefined) return knownRipgrepPath;
  throw new OrielError(
    'UNSUPPORTED',
    `ripgrep is not installed: neither the package ${platformPackage()} nor "rg" on PATH was found. Use ${installCommand(['@vscode/ripgrep'])}`,
  );
}

/** Throws the system's error if no descriptor is free. */
function expectDescriptor(): void {
  try {
    closeSync(openSync(process.execPath, 'r'));
  } catch (error) {
    // The file itself may be gone, after an update of Node.js.
    if (isShortage(error)) throw error;
  }
}

/**
 * The binary is in a separate package for each platform, which only `@vscode/ripgrep` is sure to see (pnpm
 * nests it there). Its path is found without running that package's code.
 */
function packaged(): string | undefined {
  try {
    const index = packageRequire().resolve('@vscode/ripgrep');
    return createRequire(index).resolve(`${platformPackage()}/bin/${binary()}`);
  } catch {
    return undefined;
  }
}

/** The first executable `rg` in an absolute directory of `path`: a relative one would run a file of the workspace. */
export function onPath(path: string): string | undefined {
  return path
    .split(delimiter)
    .filter((directory) => isAbsolute(directory))
    .map((directory) => join(directory, binary()))
    .find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

function binary(): string {
  return process.platform === 'win32' ? 'rg.exe' : 'rg';
}

function platformPackage(): string {
  return `@vscode/ripgrep-${process.platform}-${process.arch}`;
}
