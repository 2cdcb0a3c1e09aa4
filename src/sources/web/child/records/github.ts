/** Formats the JSON of a GitHub repository. */

import type { ReadRecord } from './record.ts';
import { joined, lineAt, textAt } from './values.ts';

export const gitHubRepository: ReadRecord = (value, { repository = '' }) => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const branch = lineAt(value, 'default_branch');
  return {
    text: joined([
      `# ${lineAt(value, 'full_name') || repository}`,
      textAt(value, 'description'),
      branch === '' ? '' : `Default branch: ${branch}`,
    ]),
  };
};
