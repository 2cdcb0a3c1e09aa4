/** Formats objects of GitHub's REST API as text. */

import { oneLine } from '../../text/visible.ts';
import type { Remark, Thread } from './shapes.ts';

/** The state: open, closed, closed (not planned), merged, draft. */
export function stateOf(thread: Thread): string {
  if (thread.merged_at ?? thread.pull_request?.merged_at) return 'merged';
  if (thread.draft === true && thread.state === 'open') return 'draft';
  const reason = thread.state === 'closed' && thread.state_reason === 'not_planned' ? ' (not planned)' : '';
  return (thread.state ?? 'unknown') + reason;
}

export function labelsOf({ labels }: Thread): readonly string[] {
  return labels.filter((label) => label !== '');
}

/** The author. For removed accounts GitHub shows `ghost`. */
export function authorOf({ user: author }: Remark): string {
  return oneLine(author?.login ?? 'ghost');
}

/** The day of a date: `2026-05-01`. */
export function dayOf(date: string | null | undefined): string {
  return oneLine((date ?? '').slice(0, 10));
}

/** The unchanged text of an issue or a comment. */
export function bodyOf({ body }: Remark): string {
  return (body ?? '').replaceAll('\r\n', '\n').trim();
}
