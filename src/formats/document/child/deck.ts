/** A presentation, slide by slide. */

import type { UnshownFacts } from '../protocol.ts';

export interface SlideDeck {
  readonly count: number;
  /** The Markdown of slide `number`, 1-based. */
  slide(number: number): Promise<string>;
  /** What is not in its Markdown; absent for formats in which it is not known. */
  aside?(number: number): SlideAside;
}

export interface SlideAside {
  readonly isHidden: boolean;
  readonly comments: readonly { readonly by: string; readonly text: string }[];
  /** Its header, footer and fixed date, and those of its notes: `footer: Draft`. */
  readonly margins: readonly string[];
  readonly unshown: readonly UnshownFacts[];
}

export const MAX_SLIDES = 5_000;
