/** Finds and compares versions of installed packages. */

import { createRequire } from 'node:module';
import { join } from 'node:path';

/** The version that code at the URL `from` would import; undefined if the package is not installed. */
export function installedVersion(name: string, from: string): string | undefined {
  const require = createRequire(from);
  for (const directory of require.resolve.paths(name) ?? []) {
    try {
      const manifest: unknown = require(join(directory, name, 'package.json'));
      const { version } = manifest as { readonly version?: unknown };
      return typeof version === 'string' ? version : undefined;
    } catch {
      // Not in this directory: the next one is tried, as Node does.
    }
  }
  return undefined;
}

/** Compares major, minor and patch; pre-release tags are ignored. */
export function isOlder(version: string, than: string): boolean {
  const [given, least] = [version, than].map((text) => text.split(/[-+]/)[0]?.split('.').map(Number) ?? []);
  for (const [i, part] of (least ?? []).entries()) {
    const own = given?.[i] ?? 0;
    if (own !== part) return own < part;
  }
  return false;
}
