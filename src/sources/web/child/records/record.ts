/** The interface of a record: what the API of a site says in JSON, as Markdown. Each kind is a file beside this one. */

export interface Recorded {
  readonly text: string;
  /** What decides how the site is read on. */
  readonly facts?: Readonly<Record<string, string>>;
}

/** Undefined for JSON of another shape. `ask`: what was asked for; `url`: that of the page, for its links. */
export type ReadRecord = (
  value: unknown,
  ask: Readonly<Record<string, string>>,
  url: string,
) => Recorded | undefined;
