// Source files from Debian packages, unpacked once below .bench/debian/, never installed.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { folder } from './data.mjs';
import { quick } from './quick.mjs';

/** The directory with the files of a package, or undefined if it cannot be downloaded. */
export function debian(name) {
  const home = resolve(folder, 'debian', name);
  const files = resolve(home, 'files');
  if (existsSync(files)) return files;
  if (quick) return undefined;
  mkdirSync(home, { recursive: true });
  try {
    execFileSync('apt-get', ['download', name], { cwd: home, stdio: 'ignore' });
    const [archive] = readdirSync(home).filter((file) => file.endsWith('.deb'));
    execFileSync('dpkg', ['-x', resolve(home, archive), files], { stdio: 'ignore' });
  } catch {
    return undefined;
  }
  return files;
}
