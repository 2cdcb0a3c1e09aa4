// npm run bench [-- GROUP… --quick]: makes its data below .bench/, runs each group and prints one table a group.
// Every figure of ours stands beside a peer measured in the same run; times are medians.
import { existsSync, mkdirSync } from 'node:fs';
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
  scale: ['scale-objects'],
  faces: ['mcp', 'mcp-cases', 'http'],
  check: ['check'],
};

const [quick, named] = [
  process.argv.includes('--quick'),
  process.argv.slice(2).filter((arg) => arg !== '--quick'),
];
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
if (quick) process.env.ORIEL_BENCH = 'quick';
for (const name of named.length > 0 ? named : Object.keys(groups)) {
  for (const module of groups[name]) {
    const { rows } = await import(`./${module}.mjs`);
    console.log(`\n## ${name}${groups[name].length > 1 ? `: ${module}` : ''}\n`);
    printTable(await rows());
  }
}
