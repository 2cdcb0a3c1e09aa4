/**
 * Copies the grammars and their queries into a build: `grammars/NAME.wasm.br` and `NAME.scm`. Brotli makes 28 MB of
 * grammars 2 MB; decompressing one takes 1-6 ms.
 */

import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { brotliCompressSync, constants } from 'node:zlib';

/** The source of each grammar: `@vscode/tree-sitter-wasm` for most, official packages for the others. */
const vscode = (name) => `@vscode/tree-sitter-wasm/wasm/tree-sitter-${name}.wasm`;
const grammars = {
  bash: vscode('bash'),
  c: 'tree-sitter-c/tree-sitter-c.wasm',
  'c-sharp': vscode('c-sharp'),
  cpp: vscode('cpp'),
  css: vscode('css'),
  go: vscode('go'),
  html: 'tree-sitter-html/tree-sitter-html.wasm',
  java: vscode('java'),
  javascript: vscode('javascript'),
  kotlin: '@tree-sitter-grammars/tree-sitter-kotlin/tree-sitter-kotlin.wasm',
  lua: '@tree-sitter-grammars/tree-sitter-lua/tree-sitter-lua.wasm',
  php: vscode('php'),
  python: vscode('python'),
  ruby: vscode('ruby'),
  rust: vscode('rust'),
  scala: 'tree-sitter-scala/tree-sitter-scala.wasm',
  tsx: vscode('tsx'),
  typescript: vscode('typescript'),
};

const root = new URL('..', import.meta.url);
const packed = new URL('node_modules/.cache/grammars/', root);

/** The licences of the grammars, which are all MIT. */
function licences() {
  const packages = new Set(
    Object.values(grammars).map((path) =>
      path
        .split('/')
        .slice(0, path.startsWith('@') ? 2 : 1)
        .join('/'),
    ),
  );
  return [...packages].map((name) => {
    const from = new URL(`node_modules/${name}/`, root);
    const file = readdirSync(from).find((entry) => /^licen[cs]e/i.test(entry));
    return `${name}\n\n${file ? readFileSync(new URL(file, from), 'utf8') : 'MIT'}\n`;
  });
}

/** `build` is the directory of the build. */
export function copyGrammars(build) {
  const target = pathToFileURL(join(build, 'grammars/'));
  const queries = new URL('src/code/queries/', root);
  mkdirSync(new URL('uses/', target), { recursive: true });
  for (const file of readdirSync(queries, { recursive: true }).filter((name) => name.endsWith('.scm')))
    copyFileSync(new URL(file, queries), new URL(file, target));
  writeFileSync(new URL('LICENSES.txt', target), licences().join('\n'));
  for (const [name, path] of Object.entries(grammars)) copyPacked(path, new URL(`${name}.wasm.br`, target));
}

/** Copies a file of a package, compressed. All of them take 20 s, so the result is cached for each version of the file. */
export function copyPacked(path, to) {
  const wasm = readFileSync(new URL(`node_modules/${path}`, root));
  const digest = createHash('sha256').update(wasm).digest('hex').slice(0, 16);
  const name = basename(fileURLToPath(to), '.wasm.br');
  const kept = new URL(`${name}-${digest}-${WINDOW}.br`, packed);
  mkdirSync(packed, { recursive: true });
  if (!existsSync(kept)) {
    const part = new URL(`${name}-${process.pid}.part`, packed);
    writeFileSync(part, pack(wasm));
    renameSync(part, kept);
  }
  copyFileSync(kept, to);
}

/**
 * Bits of the window. With the maximum of 24, files are 15 % smaller, but each thread that decompresses one allocates and
 * frees a block of 8 MiB. From then on glibc does not return blocks of up to 8 MiB to the system, in any thread.
 */
const WINDOW = 18;

function pack(wasm) {
  const params = { [constants.BROTLI_PARAM_LGWIN]: WINDOW, [constants.BROTLI_PARAM_SIZE_HINT]: wasm.length };
  return brotliCompressSync(wasm, { params });
}
