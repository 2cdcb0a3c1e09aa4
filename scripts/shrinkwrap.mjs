// npm pack and npm publish: npm-shrinkwrap.json (or FILE), the lock file without the packages that only development and those of
// packages/ need. Whoever installs oriel gets the versions that were tested. With --remove it is removed, because in a checkout it would count instead
// of the lock file.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The keys of the package itself and of all that its dependencies need. */
function needed(packages) {
  const found = new Set(['']);
  for (const path of found) {
    const { dependencies, optionalDependencies } = packages[path];
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      // Where Node looks for it: in the package, and in each directory around it.
      let at = path;
      while (at !== '' && !packages[`${at}/node_modules/${name}`])
        at = at.replace(/(^|\/)node_modules\/(?:@[^/]+\/)?[^/]+$/, '');
      const key = `${at === '' ? '' : `${at}/`}node_modules/${name}`;
      if (packages[key]) found.add(key);
    }
  }
  return found;
}

const [argument] = process.argv.slice(2);
const inCheckout = fileURLToPath(new URL('../npm-shrinkwrap.json', import.meta.url));

if (argument === '--remove') rmSync(inCheckout, { force: true });
else {
  const lock = JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8'));
  const found = needed(lock.packages);
  const packages = Object.fromEntries(Object.entries(lock.packages).filter(([path]) => found.has(path)));
  delete packages[''].devDependencies;
  delete packages[''].workspaces;
  writeFileSync(argument ?? inCheckout, JSON.stringify({ ...lock, packages }, null, 2));
}
