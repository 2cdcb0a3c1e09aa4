/** A text inside a container, with the calls that read its sections. */

import type { ByteSource } from '../../types/byte-source.ts';
import type { Encoding } from '../../types/encoding.ts';

export interface ContainerText {
  readonly source: ByteSource;
  readonly encoding: Encoding;
  /** Sorted by `start`; the first begins at 0. */
  readonly sections: readonly Section[];
}

/** The section that contains the byte at `offset` (0-based). Binary search: a text may have thousands of sections. */
export function sectionAt(sections: readonly Section[], offset: number): Section {
  let [low, high] = [0, sections.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((sections[middle] as Section).start <= offset) low = middle;
    else high = middle - 1;
  }
  return sections[low] as Section;
}

/** A part of a text that has its own call, such as a page. */
export interface Section {
  /** The call that reads it. */
  readonly path: string;
  /** The call that reads it together with others, if they are counted as one: the table of a row. */
  readonly group?: string;
  /** The number of lines and bytes before it in the text, which is UTF-8 without a byte order mark. */
  readonly lines: number;
  readonly start: number;
}
