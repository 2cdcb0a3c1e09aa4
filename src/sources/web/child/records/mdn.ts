/** Formats the JSON of an MDN page: its title and sections. */

import { fragment } from '../extract.ts';
import type { ReadRecord } from './record.ts';
import { at, escaped, lineAt, listAt, textAt } from './values.ts';

/** The fact `compatibility` says that a compatibility table was left out. */
export const mdnPage: ReadRecord = (value, _, url) => {
  const sections = listAt(value, 'doc', 'body');
  const text = fragment(sections.map(sectionHtml).join(''), url).trim();
  if (text === '') return undefined;
  const title = lineAt(value, 'doc', 'title');
  const hasTable = sections.some((one) => textAt(one, 'type') === 'browser_compatibility');
  return {
    text: title === '' ? text : `# ${title}\n\n${text}`,
    ...(hasTable && { facts: { compatibility: 'left out' } }),
  };
};

function sectionHtml(section: unknown): string {
  const heading = lineAt(section, 'value', 'title');
  const level = at(section, 'value', 'isH3') === true ? 3 : 2;
  const links = listAt(section, 'value', 'specifications').map(
    (one) =>
      `<li><a href="${escaped(textAt(one, 'bcdSpecificationURL'))}">${escaped(textAt(one, 'title'))}</a></li>`,
  );
  const content =
    textAt(section, 'value', 'content') + (links.length > 0 ? `<ul>${links.join('')}</ul>` : '');
  // Sections without content or links are rendered by scripts.
  if (content === '') return '';
  return `${heading === '' ? '' : `<h${level}>${heading}</h${level}>`}${content}`;
}
