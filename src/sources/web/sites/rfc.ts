/** RFC Editor: RFCs as their plain text. */

import type { Site } from '../page-step.ts';
import { baseOf } from './site-api.ts';

export const rfc: Site = {
  name: 'rfc',
  hosts: /^(?:(?:www\.)?rfc-editor\.org|datatracker\.ietf\.org)$/,
  page(url) {
    const number = /^\/(?:rfc|doc\/html|doc|info)\/rfc(\d{1,5})(?:\.html|\.txt)?\/?$/.exec(url.pathname)?.[1];
    if (number === undefined) return undefined;
    return async (visit) => {
      const base = baseOf('rfc', 'https://www.rfc-editor.org', visit);
      const page = await visit.probe(`${base.url}/rfc/rfc${number}.txt`, {
        accept: 'text/plain',
        trusted: base.trusted,
      });
      // Form feeds (page breaks) are removed.
      return page?.type === 'text/plain'
        ? { page, text: (await page.text()).replaceAll('\f', '') }
        : undefined;
    };
  },
};
