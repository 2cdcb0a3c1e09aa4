/** MDN Web Docs: pages from the JSON beside each. */

import type { Site } from '../page-step.ts';
import { baseOf, recordAt } from './site-api.ts';

export const mdn: Site = {
  name: 'mdn',
  hosts: /^developer\.mozilla\.org$/,
  page(url) {
    const path = /^\/[a-z]{2}(?:-[A-Z]{2})?\/docs\/.+?(?=\/?$)/.exec(url.pathname)?.[0];
    if (path === undefined || /\.\w{2,4}$/.test(path)) return undefined;
    return async (visit) => {
      const base = baseOf('mdn', 'https://developer.mozilla.org', visit);
      const found = await recordAt(base, `${path}/index.json`, { of: 'mdn-page', ask: {} }, visit);
      if (found?.facts['compatibility']) {
        visit.notes.push('the table of browser compatibility is left out');
      }
      return found;
    };
  },
};
