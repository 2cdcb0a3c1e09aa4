// The single steps of a call, from the source code, because the package does not export them. `tool.run` does the same, but
// cannot be stopped before its last step, the recording, which is measured.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import { folder } from './data.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));

const MODULES = ['assemble', 'call/open-call', 'call/read', 'call/call-tool', 'telemetry/telemetry'];

/** The exports of these modules, bundled as in the package. */
export async function stepsOfACall() {
  const [entry, to] = [join(folder, 'steps.ts'), join(folder, 'steps')];
  writeFileSync(entry, MODULES.map((path) => `export * from '${join(root, 'src', path)}.ts';\n`).join(''));
  rmSync(to, { recursive: true, force: true });
  const build = await rolldown({
    input: entry,
    platform: 'node',
    external: (id) => !id.startsWith('.') && !id.startsWith('/'),
  });
  await build.write({ dir: to, format: 'esm' });
  await build.close();
  return import(pathToFileURL(join(to, 'steps.js')).href);
}
