/** Wikipedia: articles from the REST API of MediaWiki. */

import type { Site } from '../page-step.ts';
import { baseOf, markdownOf } from './site-api.ts';

/** Classes of elements that are not part of the article: reference marks, navigation boxes, editorial notes. */
const WITHOUT = [
  'reference',
  'mw-editsection',
  'navbox',
  'navbox-styles',
  'sistersitebox',
  'side-box',
  'metadata',
  'noprint',
  'mw-empty-elt',
  'authority-control',
];

export const wikipedia: Site = {
  name: 'wikipedia',
  hosts: /^[a-z-]+(?:\.m)?\.wikipedia\.org$/,
  page(url) {
    const title = /^\/wiki\/([^/].*)$/.exec(url.pathname)?.[1];
    // A query selects another revision or view of the page.
    if (title === undefined || url.search !== '') return undefined;
    const lang = url.hostname.split('.')[0] ?? '';
    if (lang === 'www') return undefined;
    return async (visit) => {
      const base = baseOf('wikipedia', 'https://{lang}.wikipedia.org', visit);
      const page = await visit.probe(
        `${base.url.replace('{lang}', lang)}/w/rest.php/v1/page/${title.replaceAll('/', '%2F')}/html`,
        { accept: 'text/html', trusted: base.trusted },
      );
      if (page?.type !== 'text/html') return undefined;
      const text = await markdownOf(await page.text(), visit.url, visit, WITHOUT);
      const name = nameOf(title);
      return text === undefined ? undefined : { page, text: `# ${name}\n\n${text}` };
    };
  },
};

function nameOf(title: string): string {
  try {
    return decodeURIComponent(title).replaceAll('_', ' ');
  } catch {
    return title;
  }
}
