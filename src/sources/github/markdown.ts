/** Objects of GitHub's REST API, and how they are written as text. */

import { z } from 'zod';
import { oneLine } from '../../text/visible.ts';

/** Fields of another type than GitHub's are taken for absent ones, so that a text is shown as far as it can be. */
const words = z.string().nullish().catch(null);
const count = z.number().nullish().catch(null);
const user = z.object({ login: words }).nullish().catch(null);

/** A body, a comment, a review: fields that GitHub leaves out or sets to null are so for removed accounts and texts. */
export const remarkShape = z.object({ body: words, user, created_at: words });
export type Remark = z.infer<typeof remarkShape>;

const branch = z.object({ label: words, ref: words }).nullish().catch(null);

export const threadShape = remarkShape.extend({
  number: count,
  title: words,
  state: words,
  state_reason: words,
  draft: z.boolean().nullish().catch(null),
  html_url: words,
  labels: z
    .array(z.union([z.string(), z.object({ name: words }).transform(({ name }) => name ?? '')]))
    .catch([]),
  assignees: z.array(user).nullish().catch(null),
  milestone: z.object({ title: words }).nullish().catch(null),
  closed_at: words,
  merged_at: words,
  /** Of an entry in a list of issues: it is a pull request. */
  pull_request: z.object({ merged_at: words }).nullish().catch(null),
  head: branch,
  base: branch,
  additions: count,
  deletions: count,
  changed_files: count,
});
export type Thread = z.infer<typeof threadShape>;

/** open, closed, closed (not planned), merged, draft. */
export function stateOf(thread: Thread): string {
  if (thread.merged_at ?? thread.pull_request?.merged_at) return 'merged';
  if (thread.draft === true && thread.state === 'open') return 'draft';
  const reason = thread.state === 'closed' && thread.state_reason === 'not_planned' ? ' (not planned)' : '';
  return (thread.state ?? 'unknown') + reason;
}

export function labelsOf({ labels }: Thread): readonly string[] {
  return labels.filter((label) => label !== '');
}

/** What GitHub calls the author of what a removed account wrote. */
export function authorOf({ user: author }: Remark): string {
  return oneLine(author?.login ?? 'ghost');
}

/** `2026-05-01`. */
export function dayOf(date: string | null | undefined): string {
  return oneLine((date ?? '').slice(0, 10));
}

/** What somebody wrote, as they wrote it. */
export function bodyOf({ body }: Remark): string {
  return (body ?? '').replaceAll('\r\n', '\n').trim();
}
