// Runs every hostile case over every interface, and prints a table and a summary.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folder = mkdtempSync(join(tmpdir(), 'oriel-hardening-'));
const table = join(folder, 'table.txt');
const { status } = spawnSync(
  'npx',
  ['vitest', 'run', 'test/hardening/ways.test.ts', ...process.argv.slice(2)],
  { stdio: 'inherit', env: { ...process.env, ORIEL_ALL_WAYS: '1', ORIEL_TABLE: table } },
);
try {
  console.log(readFileSync(table, 'utf8'));
} catch {
  console.log('No case was run.');
}
rmSync(folder, { recursive: true, force: true });
process.exitCode = status ?? 1;
