/** A text inside a container, and the calls that read its parts. */

import type { ByteSource } from '../../types/byte-source.ts';
import type { Encoding } from '../../types/encoding.ts';

export interface InsideText {
  readonly source: ByteSource;
  readonly encoding: Encoding;
  /** In order; the first begins with the text. */
  readonly sections: readonly Section[];
}

/** The section of a byte, by bisection: a text may have a section for each of thousands of rows. */
export function sectionAt(sections: readonly Section[], offset: number): Section {
  let [low, high] = [0, sections.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((sections[middle] as Section).start <= offset) low = middle;
    else high = middle - 1;
  }
  return sections[low] as Section;
}

/** A part of a text that has a separate call: a page. */
export interface Section {
  /** The call that reads it. */
  readonly path: string;
  /** The call that reads it together with others, where those count as one: the table of a row. */
  readonly group?: string;
  /** Lines and bytes of the text before it: as UTF-8, without a byte order mark. */
  readonly lines: number;
  readonly start: number;
}
