// Compiles src/text/scan.wat to src/text/scan-wasm.ts, so that the package needs no separate file.
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import wabt from 'wabt';

const at = (path) => fileURLToPath(new URL(`../src/text/${path}`, import.meta.url));

export async function assemble() {
  const { parseWat } = await wabt();
  const module = parseWat('scan.wat', await readFile(at('scan.wat'), 'utf8'), { simd: true });
  return Buffer.from(module.toBinary({}).buffer).toString('base64');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const base64 = await assemble();
  const lines = base64.match(/.{1,96}/g).map((line) => `  '${line}'`);
  await writeFile(
    at('scan-wasm.ts'),
    `/** scan.wat, assembled by \`npm run wasm\`. */\nexport const scanWasm: string =\n${lines.join(' +\n')};\n`,
  );
}
