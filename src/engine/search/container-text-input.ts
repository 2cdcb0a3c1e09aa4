/** Searches one text inside a container. Lines are numbered as in the calls that read its sections. */

import type { Call } from '../../types/call.ts';
import { GapsOnTheWay, GapsSeen } from '../walk/gaps.ts';
import { addresses } from './match-addresses.ts';
import { type ContainerText, sectionAt } from './text-sections.ts';
import type { AddressedFile, PlacedAddress } from './match-page.ts';
import { recordGap } from './record-gap.ts';
import type { Search } from './search-run.ts';
import {
  addressFlags,
  encodingFlags,
  guessedIn,
  type Quotable,
  searchedBytes,
  type SearchInput,
} from './search-input.ts';

export class ContainerTextInput implements SearchInput {
  readonly gaps = new GapsOnTheWay();
  readonly #text: ContainerText;
  readonly #search: Search;
  readonly #call: Call;

  constructor(text: ContainerText, search: Search, call: Call) {
    this.#text = text;
    this.#search = search;
    this.#call = call;
  }

  async *addresses(): AsyncGenerator<PlacedAddress[], void> {
    const { source, encoding } = this.#text;
    const flags = [...addressFlags(this.#search), ...encodingFlags(encoding)];
    const bytes = searchedBytes(source, source.size ?? Number.POSITIVE_INFINITY, encoding);
    const run = this.#search.run(flags, { is: 'bytes', bytes });
    let isBegun = false;
    try {
      for await (const batch of addresses(run)) {
        isBegun = true;
        yield batch.map((address) => {
          const { path, group, lines } = sectionAt(this.#text.sections, address.offset);
          return { ...address, path, ...(group !== undefined && { group }), no: address.no - lines };
        });
      }
    } catch (error) {
      // A text that cannot be read to its end, as if a disk is full, is a gap too.
      if (error !== run.inputFailure) throw error;
      return this.#leaveUnread(error, isBegun);
    }
    // A line that exceeds the memory limit is a gap of this text only; other texts are still searched.
    if (run.outcome?.outOfMemory) this.gaps.add({ ...new GapsSeen().facts, cut: 1 }, 0);
    else this.#search.judge(run.outcome);
  }

  #leaveUnread(error: unknown, isBegun: boolean): void {
    const gaps = new GapsSeen();
    recordGap(error, sectionAt(this.#text.sections, 0).path, { gaps }, this.#call);
    this.gaps.add(isBegun ? { ...new GapsSeen().facts, cut: 1 } : gaps.facts, 0);
  }

  placeOf(): number {
    return 0;
  }

  quotable(file: AddressedFile): Quotable {
    const { source, encoding } = this.#text;
    return { source, encoding, ...guessedIn(encoding), file };
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
