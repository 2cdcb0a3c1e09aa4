/** Searches one text for multi-line matches; the whole text is kept in memory. */

import { memoryBytes, readAt } from '../../access/bytes.ts';
import { decode, utf8 } from '../../text/encoding.ts';
import type { ByteSource } from '../../types/byte-source.ts';
import type { Encoding } from '../../types/encoding.ts';
import { GapsOnTheWay, GapsSeen } from '../walk/gaps.ts';
import { type Section, sectionAt } from './text-sections.ts';
import type { Address } from './match-addresses.ts';
import { linesThatMatch, MOST_WHOLE } from './multiline.ts';
import type { AddressedFile, PlacedAddress } from './match-page.ts';
import type { Search } from './search-run.ts';
import { guessedIn, type Quotable, type SearchInput } from './search-input.ts';

/** Not with spreads, which take a microsecond: a match may cover millions of lines. */
function placedIn({ path, group, lines }: Section, { no, offset, match, at }: Address): PlacedAddress {
  const placed: { -readonly [K in keyof PlacedAddress]: PlacedAddress[K] } = {
    no: no - lines,
    offset,
    match,
    path,
  };
  if (at !== undefined) placed.at = at;
  if (group !== undefined) placed.group = group;
  return placed;
}

export class WholeTextInput implements SearchInput {
  readonly gaps = new GapsOnTheWay();
  readonly #source: ByteSource;
  readonly #encoding: Encoding;
  readonly #sections: readonly Section[];
  readonly #search: Search;
  #text: Uint8Array = Buffer.alloc(0);

  /** `sections` give the paths of the lines, as for a text inside a container. */
  constructor(source: ByteSource, encoding: Encoding, sections: readonly Section[], search: Search) {
    this.#source = source;
    this.#encoding = encoding;
    this.#sections = sections;
    this.#search = search;
  }

  async *addresses(): AsyncGenerator<PlacedAddress[], void> {
    const stored = await readAt(this.#source, 0, MOST_WHOLE + 1);
    if (stored.length > MOST_WHOLE) {
      this.gaps.add({ ...new GapsSeen().facts, large: 1 }, 0);
      return;
    }
    const content = stored.subarray(this.#encoding.bom);
    const { unit, legacy } = this.#encoding;
    const isUtf8 = unit === 1 && !legacy;
    this.#text = isUtf8 ? content : Buffer.from(decode(content, this.#encoding).text);
    for await (const batch of linesThatMatch(this.#text, this.#search)) {
      yield batch.map((address) => placedIn(sectionAt(this.#sections, address.offset), address));
    }
  }

  placeOf(): number {
    return 0;
  }

  quotable(file: AddressedFile): Quotable {
    return { source: memoryBytes(this.#text), encoding: utf8, ...guessedIn(this.#encoding), file };
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
