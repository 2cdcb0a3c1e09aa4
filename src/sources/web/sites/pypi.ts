/** PyPI: Python packages from the index that the user's pip is configured for, with facts and description. */

import type { Site } from '../page-step.ts';
import { recordAt } from './site-api.ts';
import { noted, pythonIndex } from './registries.ts';

export const pypi: Site = {
  name: 'pypi',
  hosts: /^pypi\.org$/,
  page(url) {
    const [, name, version] =
      /^\/project\/([a-z\d](?:[\w.-]*[a-z\d])?)(?:\/([\w.!+-]+))?\/?$/i.exec(url.pathname) ?? [];
    if (name === undefined) return undefined;
    // Source: "Names and normalization" of the Python packaging specifications.
    const normal = name.toLowerCase().replace(/[-_.]+/g, '-');
    const path = `/pypi/${normal}${version === undefined ? '' : `/${version}`}/json`;
    return async (visit) => {
      const index = await pythonIndex(visit);
      const project = { of: 'pypi-project', ask: {} } as const;
      // The server of the page itself may also have the JSON API.
      const own = { url: url.origin, trusted: false };
      const found = index && (await recordAt(index, path, project, visit));
      return index && found ? noted(found, index, visit) : recordAt(own, path, project, visit);
    };
  },
};
