/** Pages of MDN Web Docs, from the JSON that lies beside each. */

import type { Site } from '../page.ts';
import { at, baseOf, escaped, jsonAt, lineAt, listAt, markdownOf, textAt } from './api.ts';

export const mdn: Site = {
  name: 'mdn',
  hosts: /^developer\.mozilla\.org$/,
  page(url) {
    const path = /^\/[a-z]{2}(?:-[A-Z]{2})?\/docs\/.+?(?=\/?$)/.exec(url.pathname)?.[0];
    if (path === undefined || /\.\w{2,4}$/.test(path)) return undefined;
    return async (visit) => {
      const base = baseOf('mdn', 'https://developer.mozilla.org', visit);
      const found = await jsonAt(base, `${path}/index.json`, visit);
      const sections = listAt(found?.value, 'doc', 'body');
      if (!found || sections.length === 0) return undefined;
      const title = lineAt(found.value, 'doc', 'title');
      const text = await markdownOf(sections.map(sectionHtml).join(''), visit.url, visit);
      if (text === undefined) return undefined;
      if (sections.some((one) => textAt(one, 'type') === 'browser_compatibility')) {
        visit.notes.push('the table of browser compatibility is left out');
      }
      return { page: found.page, text: title === '' ? text : `# ${title}\n\n${text}` };
    };
  },
};

function sectionHtml(section: unknown): string {
  const heading = lineAt(section, 'value', 'title');
  const level = at(section, 'value', 'isH3') === true ? 3 : 2;
  const links = listAt(section, 'value', 'specifications').map(
    (one) =>
      `<li><a href="${escaped(textAt(one, 'bcdSpecificationURL')).replaceAll('"', '&quot;')}">${escaped(textAt(one, 'title'))}</a></li>`,
  );
  const content =
    textAt(section, 'value', 'content') + (links.length > 0 ? `<ul>${links.join('')}</ul>` : '');
  // What has neither content nor links is drawn by scripts.
  if (content === '') return '';
  return `${heading === '' ? '' : `<h${level}>${heading}</h${level}>`}${content}`;
}
