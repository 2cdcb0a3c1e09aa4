/** A presentation, slide by slide. */

export interface Deck {
  readonly count: number;
  /** The Markdown of slide `number`, 1-based. */
  slide(number: number): Promise<string>;
}

export const MOST_SLIDES = 5_000;
