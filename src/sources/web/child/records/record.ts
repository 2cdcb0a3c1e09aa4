/** The interface of a record kind, which formats JSON of a site's API as Markdown. Each kind is a file beside this one. */

export interface Recorded {
  readonly text: string;
  /** Facts that decide on further requests to the site. */
  readonly facts?: Readonly<Record<string, string>>;
}

/** Undefined for JSON of another shape. `ask` are the parameters of the request, `url` is the page's, for its links. */
export type ReadRecord = (
  value: unknown,
  ask: Readonly<Record<string, string>>,
  url: string,
) => Recorded | undefined;
