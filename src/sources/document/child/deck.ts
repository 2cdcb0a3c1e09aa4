/** A presentation, slide by slide. */

export interface Deck {
  readonly count: number;
  /** The Markdown of slide `number`, 1-based. */
  slide(number: number): Promise<string>;
  /** Facts and comments that are not in its Markdown; absent for formats without them. */
  aside?(number: number): Aside;
}

export interface Aside {
  readonly isHidden: boolean;
  readonly comments: readonly { readonly by: string; readonly text: string }[];
}

export const MOST_SLIDES = 5_000;
