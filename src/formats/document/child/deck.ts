/** A presentation, slide by slide. */

export interface SlideDeck {
  readonly count: number;
  /** The Markdown of slide `number`, 1-based. */
  slide(number: number): Promise<string>;
  /** Facts and comments that are not in its Markdown; absent for formats without them. */
  aside?(number: number): SlideAside;
}

export interface SlideAside {
  readonly isHidden: boolean;
  readonly comments: readonly { readonly by: string; readonly text: string }[];
}

export const MAX_SLIDES = 5_000;
