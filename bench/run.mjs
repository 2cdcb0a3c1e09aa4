// npm run bench [-- GROUP…]: makes its data below .bench/, runs each group and prints one table a group.
// Every figure of ours stands beside a peer measured in the same run; times are medians.
import { readdirSync } from 'node:fs';
import { printTable } from './lib/table.mjs';

const groups = {
  read: () => import('./read.mjs'),
<<<<<<< HEAD
  bash: () => import('./bash.mjs'),
=======
  search: () => import('./search.mjs'),
>>>>>>> 47bea34 (Bench: grep and find beside ripgrep; a page on searching)
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
  const { rows } = await groups[name]();
  console.log(`\n## ${name}\n`);
  printTable(await rows());
}
