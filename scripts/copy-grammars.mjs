/**
 * Copies the grammars and their queries into a build: `grammars/NAME.wasm.br` and `NAME.scm`. Brotli makes 28 MB of
 * grammars 2 MB; decompressing one takes 1-6 ms. Run as a program, fetches those in `src/code/grammars/` again.
 */

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { brotliCompressSync, constants } from 'node:zlib';

/** The source of most grammars. */
const vscode = (name) => `@vscode/tree-sitter-wasm/wasm/tree-sitter-${name}.wasm`;
const grammars = {
  bash: vscode('bash'),
  'c-sharp': vscode('c-sharp'),
  cpp: vscode('cpp'),
  css: vscode('css'),
  go: vscode('go'),
  java: vscode('java'),
  javascript: vscode('javascript'),
  php: vscode('php'),
  python: vscode('python'),
  ruby: vscode('ruby'),
  rust: vscode('rust'),
  tsx: vscode('tsx'),
  typescript: vscode('typescript'),
};

/** Checked in, because their packages bring parsers in C and binaries for six systems: 110 MB of files for 9 MB of grammars. */
const CHECKED_IN = {
  c: ['tree-sitter-c@0.24.1', 'tree-sitter-c.wasm'],
  html: ['tree-sitter-html@0.23.2', 'tree-sitter-html.wasm'],
  kotlin: ['@tree-sitter-grammars/tree-sitter-kotlin@1.1.0', 'tree-sitter-kotlin.wasm'],
  lua: ['@tree-sitter-grammars/tree-sitter-lua@0.4.1', 'tree-sitter-lua.wasm'],
  scala: ['tree-sitter-scala@0.24.0', 'tree-sitter-scala.wasm'],
};

const root = new URL('..', import.meta.url);
const checkedIn = new URL('src/code/grammars/', root);
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
  const texts = [...licences(), readFileSync(new URL('LICENSES.txt', checkedIn), 'utf8')];
  writeFileSync(new URL('LICENSES.txt', target), texts.join('\n'));
  for (const name of Object.keys(CHECKED_IN))
    copyFileSync(new URL(`${name}.wasm.br`, checkedIn), new URL(`${name}.wasm.br`, target));
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

/** Fetches the packages of the grammars that are checked in, and packs their grammars. */
function fetchCheckedIn() {
  const work = mkdtempSync(join(tmpdir(), 'oriel-grammars-'));
  for (const [name, [spec, file]] of Object.entries(CHECKED_IN)) {
    const packed = execFileSync('npm', ['pack', '--silent', spec, '--pack-destination', work], {
      encoding: 'utf8',
    });
    const tar = ['-xzOf', join(work, packed.trim()), `package/${file}`];
    const wasm = execFileSync('tar', tar, { maxBuffer: 1 << 26 });
    writeFileSync(new URL(`${name}.wasm.br`, checkedIn), pack(wasm));
  }
  rmSync(work, { recursive: true });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) fetchCheckedIn();
