/** Formats a Python package: its facts and description. */

import type { ReadRecord } from './record.ts';
import { dayOf, entriesAt, factsOf, joined, lineAt, listAt, textAt } from './values.ts';

export const pypiProject: ReadRecord = (value) => {
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
  return { text: joined([title, info('summary'), facts, readme === '' ? '' : '---', readme]) };
};
