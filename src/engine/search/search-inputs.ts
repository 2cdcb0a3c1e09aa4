/** Groups the files of a walk into inputs, in order. The next input is started while one is read. */

import { lentFile } from '../../access/file.ts';
import type { Call } from '../../types/call.ts';
import { encodingOf } from '../../views/source-encoding.ts';
import { Condition } from '../walk/condition.ts';
import type { LargeFile } from '../walk/walk-messages.ts';
import { WalkBroken, type WalkRun } from '../walk/walk-run.ts';
import type { Search } from './search-run.ts';
import { MultilinePortion } from './multiline-portion.ts';
import { FileInput, type GrowingInput, Portion, type SearchInput } from './search-input.ts';
import { WholeTextInput } from './whole-text-input.ts';

/** The size of the first portion in bytes, and of the largest. The first is small, so that a page is soon full; sizes double. */
const FIRST = 2 << 20;
const MOST = 32 << 20;

/** The most started inputs. Together they hold fewer bytes than one thread may have sent. */
const BEGUN = 2;

export class SearchInputs implements AsyncIterable<SearchInput> {
  readonly #walk: WalkRun;
  readonly #search: Search;
  readonly #call: Call;
  readonly #changed = new Condition();
  /** Started inputs; the first is the one being read. */
  readonly #begun: SearchInput[] = [];
  readonly #making: Promise<void>;
  #failure: unknown;
  #made = false;
  #closed = false;

  constructor(walk: WalkRun, search: Search, call: Call) {
    this.#walk = walk;
    this.#search = search;
    this.#call = call;
    this.#making = this.#make().catch((error: unknown) => {
      this.#failure = error;
      this.#made = true;
      this.#changed.notify();
    });
  }

  /** An input is closed when the next one is requested. If the walk failed, this is recorded as a gap at the end. */
  async *[Symbol.asyncIterator](): AsyncGenerator<SearchInput, void> {
    for (;;) {
      const [input] = this.#begun;
      if (input) {
        yield input;
        await input.close();
        this.#begun.shift();
        this.#changed.notify();
      } else if (this.#made) break;
      else await this.#changed.wait();
    }
    if (this.#failure instanceof WalkBroken) this.#search.gaps.broken = true;
    else if (this.#failure !== undefined) throw this.#failure;
    this.#search.gaps.add(this.#walk.gaps);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#changed.notify();
    try {
      await this.#closeBegun();
    } finally {
      await this.#walk.close();
    }
    await this.#making;
    // Another input may have been started meanwhile.
    await this.#closeBegun();
  }

  async #closeBegun(): Promise<void> {
    await Promise.all(this.#begun.map((input) => input.close()));
  }

  async #make(): Promise<void> {
    let size = FIRST;
    // Started before there is anything to search, so that an invalid pattern is reported even for an empty directory.
    let portion: GrowingInput | undefined = this.#portion();
    let last: SearchInput = portion;
    try {
      for await (const item of this.#walk.items()) {
        if (item.is === 'block-end') last.gaps.add(item.gaps, portion?.size ?? Number.POSITIVE_INFINITY);
        else if (item.is === 'large') {
          portion?.end();
          portion = undefined;
          await this.#room();
          last = await this.#file(item);
        } else {
          if (!portion) {
            await this.#room();
            portion = this.#portion();
            last = portion;
          }
          portion.add(item);
          if (portion.size < size) continue;
          size = Math.min(size * 2, MOST);
          portion.end();
          portion = undefined;
        }
        if (this.#closed) return;
      }
    } finally {
      portion?.end();
    }
    this.#made = true;
    this.#changed.notify();
  }

  #portion(): GrowingInput {
    const Kind = this.#search.request.multiline ? MultilinePortion : Portion;
    const portion = new Kind(this.#search, (texts) => this.#walk.release(texts));
    this.#begin(portion);
    return portion;
  }

  async #file(item: LargeFile): Promise<SearchInput> {
    const path = Buffer.from(item.path, 'latin1').toString('utf8');
    const opened = await lentFile(item, path);
    if (!opened) throw new WalkBroken('The thread that held a file has ended.');
    const encoding = await encodingOf(opened.bytes, this.#call).catch(async (error: unknown) => {
      await opened.close();
      throw error;
    });
    const input = this.#search.request.multiline
      ? new WholeTextInput(opened.bytes, encoding, [{ path, lines: 0, start: 0 }], this.#search)
      : new FileInput(opened, path, encoding, this.#search);
    if (item.gaps) input.gaps.add(item.gaps, 0);
    const lent: SearchInput = {
      gaps: input.gaps,
      addresses: () => input.addresses(),
      placeOf: () => 0,
      quotable: (file) => input.quotable(file),
      close: async () => {
        await opened.close();
        this.#walk.release(item);
      },
    };
    this.#begin(lent);
    return lent;
  }

  #begin(input: SearchInput): void {
    this.#begun.push(input);
    this.#changed.notify();
  }

  async #room(): Promise<void> {
    while (this.#begun.length >= BEGUN && !this.#closed) await this.#changed.wait();
  }
}
