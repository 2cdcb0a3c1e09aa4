/** A text inside a container, and the calls that read its parts. */

import type { ByteSource } from '../../types/byte-source.ts';

export interface InsideText {
  readonly source: ByteSource;
  /** In order; the first begins with the text. */
  readonly sections: readonly Section[];
}

/** A part of a text that has a call of its own: a page. */
export interface Section {
  /** The call that reads it. */
  readonly path: string;
  /** The call that reads it together with others, where those count as one: the table of a row. */
  readonly group?: string;
  /** Lines and bytes of the text before it. */
  readonly lines: number;
  readonly start: number;
}
