// npm run bench [-- GROUP… --quick --soak 30m]: makes its data below .bench/, runs each group and prints one table a group.
// Every figure of ours stands beside a peer measured in the same run; times are medians.
import { existsSync, mkdirSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { folder } from './lib/data.mjs';
import { printTable } from './lib/table.mjs';

/** Modules that export `rows()`; a table each. */
const groups = {
  read: ['read', 'pages'],
  telemetry: ['telemetry'],
  outline: ['outline', 'outline-time'],
  tasks: ['tasks', 'reading'],
  map: ['map-build', 'map-lookups', 'map-truth', 'map-yield'],
  tools: ['search', 'bash', 'calls'],
  containers: ['archive', 'sqlite', 'image', 'notebook'],
  documents: ['document'],
  web: ['web'],
  scale: ['scale-objects', 'scale-replicas', 'scale-fleet'],
  faces: ['mcp', 'mcp-cases', 'http'],
  load: ['load', 'load-held', 'soak'],
  check: ['check'],
};

const { values, positionals: named } = parseArgs({
  options: { quick: { type: 'boolean' }, soak: { type: 'string' } },
  allowPositionals: true,
});
if (values.soak !== undefined && !/^\d+[smh]$/.test(values.soak)) {
  console.error(`${values.soak} is not a time. Use --soak 30m.`);
  process.exit(2);
}
const unknown = named.filter((name) => !Object.hasOwn(groups, name));
if (unknown.length > 0) {
  console.error(`There is no group ${unknown.join(', ')}. Use one of ${Object.keys(groups).join(', ')}.`);
  process.exit(2);
}
if (!existsSync('dist')) {
  console.error('Nothing is built. Use npm run build first.');
  process.exit(2);
}
mkdirSync(folder, { recursive: true });
// Processes that the groups start know it too.
if (values.quick) process.env.ORIEL_BENCH = 'quick';
if (values.soak) process.env.ORIEL_SOAK = values.soak;
for (const name of named.length > 0 ? named : Object.keys(groups)) {
  for (const module of groups[name]) {
    const { rows } = await import(`./${module}.mjs`);
    console.log(`\n## ${name}${groups[name].length > 1 ? `: ${module}` : ''}\n`);
    printTable(await rows());
  }
}
