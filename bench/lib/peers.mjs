// Peers from the npm registry, installed once below .bench/peers/, never part of the project.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { folder } from './data.mjs';
import { quick } from './quick.mjs';

/** Replaces versions of dependencies that some registries do not have. */
export const overrides = { 'typedarray.prototype.slice': '1.0.5' };

const home = resolve(folder, 'peers');

/** The directory of an installed package, or undefined if it cannot be installed. */
export function peer(name, version) {
  const path = resolve(home, 'node_modules', name);
  if (existsSync(path)) return path;
  if (quick) return undefined;
  mkdirSync(home, { recursive: true });
  if (!existsSync(resolve(home, 'package.json')))
    writeFileSync(resolve(home, 'package.json'), JSON.stringify({ private: true, overrides }));
  try {
    const flags = ['--no-audit', '--no-fund', '--silent', ...(name === 'node' ? [] : ['--ignore-scripts'])];
    execFileSync('npm', ['install', ...flags, `${name}@${version}`], { cwd: home, stdio: 'ignore' });
  } catch {
    return undefined;
  }
  return existsSync(path) ? path : undefined;
}

/** A newer Node for peers that need one. */
export function newerNode() {
  const path = peer('node', '24');
  return path && resolve(path, 'bin/node');
}

/** A token counter (cl100k), or a quarter of the bytes if the library is not installed. */
export async function tokenCounter() {
  const path = peer('gpt-tokenizer', '3.0.1');
  if (path === undefined) return (text) => Math.ceil(Buffer.byteLength(text) / 4);
  const { encode } = await import(resolve(path, 'esm/encoding/cl100k_base.js'));
  return (text) => encode(text).length;
}
