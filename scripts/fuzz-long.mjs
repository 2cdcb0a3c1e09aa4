// npm run fuzz:long -- [TARGET | GROUP]… [--runs N] [--seed N] [--first N]: runs the targets of test/fuzz/long, bundled and
// without a test runner: a hundred million inputs take minutes; with vitest and fast-check they would take days.
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const root = fileURLToPath(new URL('..', import.meta.url));
const to = join(root, '.bench', 'fuzz');
mkdirSync(to, { recursive: true });
const bundle = await rolldown({
  input: join(root, 'test/fuzz/long/main.ts'),
  platform: 'node',
  // Packages are external.
  external: (id) => !id.startsWith('.') && !id.startsWith('/'),
});
const file = join(to, `main-${process.pid}.mjs`);
await bundle.write({ file, format: 'es', codeSplitting: false });
const { status } = spawnSync(process.execPath, [file, ...process.argv.slice(2)], { stdio: 'inherit' });
rmSync(file, { force: true });
process.exitCode = status ?? 1;
