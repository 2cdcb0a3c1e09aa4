/** Searches many small texts for multi-line matches in one process; each text is one record. */

import { memoryBytes } from '../../access/bytes.ts';
import { utf8 } from '../../text/encoding.ts';
import { Condition } from '../walk/condition.ts';
import { GapsOnTheWay } from '../walk/gaps.ts';
import type { Texts } from '../walk/walk-messages.ts';
import type { Address } from './match-addresses.ts';
import { LineCursor } from './line-cursor.ts';
import { inBatches, type Match, matchesOf, MULTILINE_FLAGS } from './multiline.ts';
import type { AddressedFile, PlacedAddress } from './match-page.ts';
import type { Search } from './search-run.ts';
import type { GrowingInput, Quotable } from './search-input.ts';

interface Held {
  readonly path: string;
  readonly bytes: Uint8Array;
  /** Its offset in the input of ripgrep. */
  readonly start: number;
  /** Its offset in the bytes of the portion. */
  readonly place: number;
  readonly guessed?: string;
}

export class MultilinePortion implements GrowingInput {
  readonly gaps = new GapsOnTheWay();
  size = 0;
  readonly #search: Search;
  readonly #released: (texts: Texts) => void;
  readonly #texts: Texts[] = [];
  readonly #held: Held[] = [];
  readonly #byPath = new Map<string, Held>();
  readonly #changed = new Condition();
  #start = 0;
  #ended = false;
  #closed = false;

  /** `released` is called for each of the texts when the portion is closed. */
  constructor(search: Search, released: (texts: Texts) => void) {
    this.#search = search;
    this.#released = released;
  }

  add(texts: Texts): void {
    this.#texts.push(texts);
    const before = this.size;
    this.size += texts.bytes.length;
    for (const { file, gaps } of texts.gaps ?? [])
      this.gaps.add(gaps, before + (file === 0 ? 0 : (texts.ends[file - 1] as number)));
    let from = 0;
    for (const [i, latin1] of texts.paths.split('\0').entries()) {
      const to = texts.ends[i] as number;
      const path = Buffer.from(latin1, 'latin1').toString('utf8');
      const guessed = texts.guessed?.[i];
      const held = {
        path,
        bytes: texts.bytes.subarray(from, to),
        start: this.#start,
        place: before + from,
        ...(guessed !== undefined && { guessed }),
      };
      this.#held.push(held);
      this.#start += held.bytes.length + 1;
      from = to;
    }
  }

  end(): void {
    this.#ended = true;
    this.#changed.notify();
  }

  async *addresses(): AsyncGenerator<PlacedAddress[], void> {
    while (!this.#ended && !this.#closed) await this.#changed.wait();
    const run = this.#search.run(MULTILINE_FLAGS, { is: 'bytes', bytes: this.#input() });
    let at = 0;
    let cursor: LineCursor | undefined;
    const placed = (address: Address): PlacedAddress => ({ ...address, path: (this.#held[at] as Held).path });
    const linesOf = function* (
      this: MultilinePortion,
      matches: readonly Match[],
    ): Generator<PlacedAddress, void> {
      for (const { from, to } of matches) {
        while (from >= (this.#held[at + 1]?.start ?? Number.POSITIVE_INFINITY)) {
          for (const address of cursor?.rest() ?? []) yield placed(address);
          cursor = undefined;
          at += 1;
        }
        const held = this.#held[at] as Held;
        this.#byPath.set(held.path, held);
        cursor ??= new LineCursor(held.bytes, this.#search.scope);
        for (const address of cursor.take(from - held.start, to - held.start)) yield placed(address);
      }
    };
    for await (const matches of matchesOf(run)) yield* inBatches(linesOf.call(this, matches), this.#search);
    yield [...(cursor?.rest() ?? [])].map(placed);
    this.#search.judge(run.outcome);
  }

  placeOf({ path }: PlacedAddress): number {
    return (this.#byPath.get(path) as Held).place;
  }

  quotable(file: AddressedFile): Quotable {
    const { bytes, guessed } = this.#byPath.get(file.path) as Held;
    const source = memoryBytes(bytes);
    return { source, encoding: utf8, ...(guessed !== undefined && { guessed }), file };
  }

  close(): Promise<void> {
    if (!this.#closed) for (const texts of this.#texts) this.#released(texts);
    this.#closed = true;
    this.#changed.notify();
    return Promise.resolve();
  }

  /** The input of ripgrep: a copy of one message of texts at a time, with a NUL after each text. */
  async *#input(): AsyncGenerator<Uint8Array, void> {
    let file = 0;
    for (const texts of this.#texts) {
      if (this.#closed) return;
      const piece = Buffer.alloc(texts.bytes.length + texts.ends.length);
      let used = 0;
      for (let i = 0; i < texts.ends.length; i += 1, file += 1) {
        const { bytes } = this.#held[file] as Held;
        piece.set(bytes, used);
        used += bytes.length + 1;
      }
      yield piece;
    }
  }
}
