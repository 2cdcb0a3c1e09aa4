// Files of the sizes that the bench needs, made once below .bench/.
import {
  closeSync,
  existsSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join, resolve } from 'node:path';

export const folder = resolve('.bench');

/** The path of a file with what `make` returns. */
export function made(name, make) {
  const path = resolve(folder, name);
  if (!existsSync(path)) writeFileSync(path, make());
  return path;
}

/** The paths of all files below a directory, sorted. */
export const filesBelow = (directory) =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .toSorted();

/** A log of `size` bytes with lines of 40 to 120 bytes; the path. */
export function log(name, size) {
  const path = resolve(folder, name);
  if (existsSync(path) && statSync(path).size === size) return path;
  mkdirSync(folder, { recursive: true });
  const file = openSync(`${path}.part`, 'w');
  let written = 0;
  let seed = 1;
  let no = 0;
  while (written < size) {
    let block = '';
    while (block.length < 1 << 20) {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      no += 1;
      block += `2026-11-20T12:00:00.000Z INFO request=${no} ${'x'.repeat(seed % 80)}\n`;
    }
    written += writeSync(file, block.slice(0, size - written));
  }
  closeSync(file);
  renameSync(`${path}.part`, path);
  return path;
}

/** A sparse file of `size` bytes that begins and ends with lines. */
export function sparse(name, size) {
  const path = resolve(folder, name);
  if (existsSync(path) && statSync(path).size === size) return path;
  mkdirSync(folder, { recursive: true });
  const file = openSync(path, 'w');
  const lines = 'a line of some length in a very large file\n'.repeat(100_000);
  writeSync(file, lines);
  for (const at of [Math.floor(size * 0.9), size - lines.length]) writeSync(file, lines, at);
  ftruncateSync(file, size);
  closeSync(file);
  return path;
}
