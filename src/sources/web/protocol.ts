/** The messages between the engine and the child that reads pages. */

export interface Job {
  /** `fragment`: HTML that is text throughout. `entry`: the first entry of a feed, by itself. */
  readonly is: 'page' | 'feed' | 'entry' | 'fragment';
  /** Against which links are resolved. */
  readonly url: string;
  /** Of fragments: elements of these classes are left out. */
  readonly without?: readonly string[];
}

/** The body of the frame is the Markdown. */
export type Reply =
  | { readonly is: 'text'; readonly how: How; readonly title?: string }
  /** Not a feed, or nothing in it. */
  | { readonly is: 'nothing' };

/** Who found the main text: a library, the page's own markup, or nobody: then it is the whole page. */
export type How = 'readability' | 'defuddle' | 'main' | 'page' | 'feed' | 'fragment';
