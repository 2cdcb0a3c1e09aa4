// npm run bench [-- GROUP…]: makes its data below .bench/, runs each group and prints one table a group.
// Every figure of ours stands beside a peer measured in the same run; times are medians.
import { readdirSync } from 'node:fs';
import { printTable } from './lib/table.mjs';

/** Modules that export `rows()`; a table each. */
const groups = {
  read: ['read'],
  outline: ['outline', 'outline-time'],
  tools: ['search', 'bash', 'calls'],
  containers: ['archive', 'sqlite', 'image', 'notebook'],
  faces: ['mcp', 'mcp-cases', 'http'],
};

const chosen = process.argv.slice(2);
const unknown = chosen.filter((name) => !Object.hasOwn(groups, name));
if (unknown.length > 0) {
  console.error(`There is no group ${unknown.join(', ')}. Use one of ${Object.keys(groups).join(', ')}.`);
  process.exit(2);
}
if (!readdirSync('.').includes('dist')) {
  console.error('Nothing is built. Use npm run build first.');
  process.exit(2);
}
for (const name of chosen.length > 0 ? chosen : Object.keys(groups)) {
  for (const module of groups[name]) {
    const { rows } = await import(`./${module}.mjs`);
    console.log(`\n## ${name}${groups[name].length > 1 ? `: ${module}` : ''}\n`);
    printTable(await rows());
  }
}
