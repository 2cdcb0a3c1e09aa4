/** What is found out about one case. */

import type { Case, Law } from './case.ts';
import type { Figures } from './checked-connection.ts';
import type { Broken, Evidence } from './outcome.ts';

export interface Finding {
  readonly id: string;
  readonly law: Law;
  readonly title: string;
  readonly verdict: 'held' | 'broken' | 'skipped';
  /** Why it is broken or skipped. */
  readonly reason?: string;
  /** What shows that it is broken. */
  readonly evidence?: Evidence;
  readonly figures: Figures;
}

const NO_FIGURES: Figures = { ms: 0, bytes: 0, memoryMb: 0 };

type Subject = Pick<Case, 'id' | 'law' | 'title'>;

export const held = ({ id, law, title }: Subject, figures: Figures): Finding => ({
  id,
  law,
  title,
  verdict: 'held',
  figures,
});

export const skipped = (
  { id, law, title }: Subject,
  reason: string,
  figures: Figures = NO_FIGURES,
): Finding => ({ id, law, title, verdict: 'skipped', reason, figures });

export const broken = (
  { id, law, title }: Subject,
  { message: reason, evidence }: Broken,
  figures: Figures,
): Finding => ({
  id,
  law,
  title,
  verdict: 'broken',
  reason,
  ...(Object.keys(evidence).length > 0 && { evidence }),
  figures,
});
