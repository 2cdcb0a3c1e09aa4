// A tree of small files, made once below .bench/.
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { folder } from './data.mjs';

/** Returns the path. */
export function makeTree(name, files = 50_000) {
  const path = resolve(folder, name);
  if (existsSync(path)) return path;
  for (let i = 0; i < files; i += 1) {
    const [a, b, f] = [Math.floor(i / 1000), Math.floor(i / 50) % 20, i % 50];
    const dir = join(`${path}.part`, `p${a}`, `d${b}`);
    if (f === 0) mkdirSync(dir, { recursive: true });
    const line = (_, n) => `line ${n} of file ${f} const value${n} = compute(${a * b + n});\n`;
    writeFileSync(join(dir, `f${f}.ts`), Array.from({ length: 40 }, line).join(''));
  }
  renameSync(`${path}.part`, path);
  return path;
}
