/** Pages of Python packages, from the index that the user's pip is configured for: facts and description. */

import type { Site } from '../page.ts';
import { type Answered, dayOf, entriesAt, factsOf, joined, jsonAt, lineAt, listAt, textAt } from './api.ts';
import { pythonIndex } from './registries.ts';

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
      // The server of the page itself may have the same, as an API beside its pages.
      const own = { url: url.origin, trusted: false };
      const found = (index && (await jsonAt(index, path, visit))) ?? (await jsonAt(own, path, visit));
      return found && shown(found);
    };
  },
};

function shown({ page, value }: Answered) {
  const name = lineAt(value, 'info', 'name');
  if (name === '') return undefined;
  const info = (field: string): string => lineAt(value, 'info', field);
  const [first] = listAt(value, 'urls');
  const readme = textAt(value, 'info', 'description').trim();
  const facts = factsOf([
    ['License', info('license_expression') || info('license').slice(0, 200)],
    ['Requires Python', info('requires_python')],
    ['Published', dayOf(textAt(first, 'upload_time_iso_8601'))],
    ['Author', info('author') || info('author_email')],
    ...entriesAt(value, 'info', 'project_urls').map(([label, url]) => [label, lineAt(url)] as const),
    [
      'Requires',
      listAt(value, 'info', 'requires_dist')
        .map((one) => lineAt(one))
        .join(', '),
    ],
    ['Versions', String(entriesAt(value, 'releases').length || '')],
  ]);
  const title = `# ${name} ${info('version')}`;
  return { page, text: joined([title, info('summary'), facts, readme === '' ? '' : '---', readme]) };
}
