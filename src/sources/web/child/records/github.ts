/** Repositories, issues and comments of GitHub. */

import type { ReadRecord } from './record.ts';
import { at, joined, lineAt, listAt, textAt } from './values.ts';

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

/** An issue or a pull request, without what was said about it. */
export const gitHubIssue: ReadRecord = (value, { number = '' }) => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const labels = listAt(value, 'labels').map((label) => lineAt(label, 'name'));
  return {
    text: joined([
      `# ${lineAt(value, 'title')} (#${number})`,
      `State: ${lineAt(value, 'state')}${labels.length === 0 ? '' : ` · Labels: ${labels.join(', ')}`}`,
      remark(value),
    ]),
  };
};

/** A page of comments; the fact `count` is how many it has. */
export const gitHubComments: ReadRecord = (value) =>
  Array.isArray(value)
    ? {
        text: value.map((one) => `---\n\n${remark(one)}`).join('\n\n'),
        facts: { count: String(value.length) },
      }
    : undefined;

function remark(value: unknown): string {
  const by = lineAt(at(value, 'user'), 'login') || 'ghost';
  const body = textAt(value, 'body').replaceAll('\r\n', '\n').trim();
  return `**${by}** ${lineAt(value, 'created_at').slice(0, 10)}\n\n${body}`;
}
