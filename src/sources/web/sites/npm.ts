/** npm: packages from the registry that the user's npm is configured for, with facts and README. */

import type { Site } from '../page-step.ts';
import { recordAt } from './site-api.ts';
import { noted, npmRegistry } from './registries.ts';

export const npm: Site = {
  name: 'npm',
  hosts: /^(?:www\.)?npmjs\.com$/,
  page(url) {
    const [, name, version = ''] =
      /^\/package\/((?:@[\w.~-]+\/)?[\w.~-]+)(?:\/v\/([\w.+-]+))?\/?$/.exec(decoded(url.pathname)) ?? [];
    // A name or version that consists of dots would be a path segment that leads elsewhere.
    if (name === undefined || /(?:^|\/)\.+$/.test(name) || /^\.+$/.test(version)) return undefined;
    return async (visit) => {
      const registry = await npmRegistry(name, visit);
      if (!registry) return undefined;
      const path = `/${name.replace('/', '%2F')}`;
      const all = await recordAt(registry, path, { of: 'npm-package', ask: { name, version } }, visit);
      if (all) return noted(all, registry, visit);
      // The packument with all versions may exceed the limit for a text; then the manifest of one version is read.
      const one = await recordAt(
        registry,
        `${path}/${version || 'latest'}`,
        { of: 'npm-manifest', ask: { name } },
        visit,
      );
      if (one) visit.notes.push('its README was not read');
      return one && noted(one, registry, visit);
    };
  },
};

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
