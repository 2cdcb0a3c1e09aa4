/** arXiv: abstracts from its API, with the URL of the full text. */

import { convertFor, textOf } from '../convert-page.ts';
import type { Site } from '../page-step.ts';
import { baseOf } from './site-api.ts';

export const arxiv: Site = {
  name: 'arxiv',
  hosts: /^(?:(?:www|export)\.)?arxiv\.org$/,
  page(url) {
    const id = /^\/abs\/((?:\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?\/\d{7})(?:v\d+)?)\/?$/.exec(
      url.pathname,
    )?.[1];
    if (id === undefined) return undefined;
    return async (visit) => {
      const base = baseOf('arxiv', 'https://export.arxiv.org', visit);
      const page = await visit.probe(`${base.url}/api/query?id_list=${id}`, {
        accept: 'application/atom+xml',
        trusted: base.trusted,
      });
      if (!page || !page.type.endsWith('xml')) return undefined;
      const found = await convertFor(visit, { is: 'entry', url: page.url }, await page.text());
      // For an unknown number the API returns an entry with this title.
      const text = found?.reply.is === 'text' ? textOf(found) : '# Error\n';
      if (text.startsWith('# Error\n')) return undefined;
      return { page, text: `${text.trimEnd()}\n\nFull text: https://arxiv.org/pdf/${id}` };
    };
  },
};
