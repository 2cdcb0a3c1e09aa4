/** Which version of a package is installed where some code would import it from. */

import { createRequire } from 'node:module';
import { join } from 'node:path';

/** As Node finds the package, whatever it exports; undefined if it is not there. `from`: the URL of the code. */
export function installedVersion(name: string, from: string): string | undefined {
  const require = createRequire(from);
  for (const directory of require.resolve.paths(name) ?? []) {
    try {
      const manifest: unknown = require(join(directory, name, 'package.json'));
      const { version } = manifest as { readonly version?: unknown };
      return typeof version === 'string' ? version : undefined;
    } catch {
      // It is not here: Node looks in the next directory too.
    }
  }
  return undefined;
}

/** By major, minor and patch; what follows a hyphen does not count. */
export function isOlder(version: string, than: string): boolean {
  const [given, least] = [version, than].map((text) => text.split(/[-+]/)[0]?.split('.').map(Number) ?? []);
  for (const [i, part] of (least ?? []).entries()) {
    const own = given?.[i] ?? 0;
    if (own !== part) return own < part;
  }
  return false;
}
