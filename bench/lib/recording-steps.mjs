// The steps of a call one by one, from the source: the package does not export them. `tool.run` of oriel does the same
// and cannot be stopped before its last step, the recording, which is what is measured.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import { folder } from './data.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));

const MODULES = ['assemble', 'engine/open-call', 'engine/read', 'recording', 'session/telemetry/telemetry'];

/** What these modules export, as the package has them: bundled, without types. */
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
