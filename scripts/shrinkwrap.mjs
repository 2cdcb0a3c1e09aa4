// npm pack and npm publish: npm-shrinkwrap.json (or FILE), the lock file without the packages that only development needs. Whoever
// installs oriel gets the versions that were tested. With --remove it is removed, because in a checkout it would count instead
// of the lock file.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const [argument] = process.argv.slice(2);
const inCheckout = fileURLToPath(new URL('../npm-shrinkwrap.json', import.meta.url));

if (argument === '--remove') rmSync(inCheckout, { force: true });
else {
  const lock = JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8'));
  // Those of packages/ are published beside it.
  const isOurs = (path, { dev, link }) => dev !== true && link !== true && !path.startsWith('packages/');
  const packages = Object.fromEntries(Object.entries(lock.packages).filter((entry) => isOurs(...entry)));
  delete packages[''].devDependencies;
  delete packages[''].workspaces;
  writeFileSync(argument ?? inCheckout, JSON.stringify({ ...lock, packages }, null, 2));
}
