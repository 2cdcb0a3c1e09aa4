/**
 * Kept outputs that all replicas can read. Each is in a private file here and in pieces in the shared store. An output
 * of another replica is copied to a private file when it is first read, so that later pages do not depend on the store.
 */

import { randomInt } from 'node:crypto';
import { isOrielError, OrielError } from '../errors.ts';
import type { KeptSpill, OpenedSpill, Spill, SpillSink, SpillStore } from '../types/session.ts';
import type { StateName, StateSpace } from '../types/state.ts';
import { artifactNumber, artifactUrl, missingArtifact, missingUnlisted } from './artifact-url.ts';
import { type Head, headName, KEEP_MS, SpillPieces, whyNot } from './spill-pieces.ts';
import type { Spills } from './spills.ts';

/** The number of outputs whose local file is remembered; others are copied again. */
const MOST_KNOWN = 10_000;

/** A listing looks at this many numbers from the last one down, in batches, and ends at a batch without outputs. */
const MOST_LISTED = 100;
const LISTED_AT_ONCE = 10;

/**
 * Numbers of one space are consecutive. The first is a random multiple of this, so that no number is reused for another
 * output after the store was emptied.
 */
const LEAST_FIRST = 1_000;

/** Numbers from here on are of outputs that only one replica has. */
const LEAST_ALONE = 9_000_000_000_000;

const firstNumber = (): number => LEAST_FIRST * randomInt(1, 900_000);

const NUMBER: StateName = { kind: 'number', of: ['spill'] };

export interface SharedSpillsOptions {
  /**
   * The owner of these outputs, if several clients without a name share the space; then they are not listed.
   */
  readonly unlisted?: string | undefined;
  readonly now?: () => number;
}

export class SharedSpills implements SpillStore {
  readonly #own: Spills;
  readonly #space: StateSpace;
  readonly #unlisted: string | undefined;
  /** Local numbers (in the private directory) by the numbers that callers know, oldest first. */
  readonly #known = new Map<number, number>();
  readonly #copying = new Map<number, Promise<number>>();
  /**
   * The next number for outputs that only this replica has: longer than all numbers of the store, and
   * different from those of other replicas.
   */
  readonly #alone = LEAST_ALONE + 10_000 * randomInt(0, 99_999_999);
  #lastAlone = 0;
  readonly #pieces: SpillPieces;

  /** If outputs are unlisted, `own` creates random numbers, which are used in the store too. */
  constructor(own: Spills, space: StateSpace, { unlisted, now = Date.now }: SharedSpillsOptions = {}) {
    this.#own = own;
    this.#space = space;
    this.#unlisted = unlisted;
    this.#pieces = new SpillPieces(space, { of: unlisted, now });
  }

  get directory(): string {
    return this.#own.directory;
  }

  local(): string {
    return this.#own.local();
  }

  has(path: string): boolean {
    return this.#own.has(path);
  }

  create(): SpillSink {
    const sink = this.#own.create();
    return {
      write: (bytes) => sink.write(bytes),
      finish: async (capped) => this.#share(await sink.finish(capped)),
    };
  }

  get isEmpty(): boolean {
    return this.#own.isEmpty;
  }

  list(): readonly KeptSpill[] {
    if (this.#unlisted !== undefined) return [];
    const sizes = new Map(this.#own.list().map(({ url, bytes }) => [artifactNumber(url), bytes]));
    return Array.from(this.#known)
      .flatMap(([number, local]) => {
        const bytes = sizes.get(local);
        return bytes === undefined ? [] : [{ number, bytes }];
      })
      .sort((a, b) => a.number - b.number)
      .map(({ number, bytes }) => ({ url: artifactUrl(number), bytes }));
  }

  /** Lists the outputs of this replica and the latest ones of other replicas. */
  async listAll(): Promise<readonly KeptSpill[]> {
    if (this.#unlisted !== undefined) return [];
    const all = new Map(this.list().map((kept) => [artifactNumber(kept.url), kept]));
    const last = await this.#lastNumber();
    const end = Math.max(LEAST_FIRST, last - MOST_LISTED);
    for (let from = last; from > end; from -= LISTED_AT_ONCE) {
      const numbers = Array.from({ length: Math.min(LISTED_AT_ONCE, from - end) }, (_, i) => from - i);
      const heads = await Promise.all(
        numbers.map(async (number) => (all.has(number) ? 'here' : await this.#headOf(number))),
      );
      for (const [i, head] of heads.entries()) {
        const number = numbers[i] as number;
        if (typeof head === 'object') all.set(number, { url: artifactUrl(number), bytes: head.bytes });
      }
      if (heads.includes('away') || heads.every((head) => head === undefined)) break;
    }
    return Array.from(all.values()).sort((a, b) => artifactNumber(a.url) - artifactNumber(b.url));
  }

  /** Throws `NOT_FOUND`, and `BUSY` if only the store may have it and the store is unavailable. */
  async open(number: number): Promise<OpenedSpill> {
    const local = this.#known.get(number);
    if (local !== undefined) {
      try {
        return await this.#own.open(local);
      } catch (error) {
        // It was evicted here; the store may still have it.
        if (!isOrielError(error) || error.code !== 'NOT_FOUND') throw error;
        this.#known.delete(number);
      }
    }
    return this.#own.open(await this.#copyOf(number));
  }

  async #share(spill: Spill): Promise<Spill> {
    const local = artifactNumber(spill.url);
    const shared = await this.#pieces.send(spill, (head) =>
      this.#unlisted === undefined ? this.#publish(head) : this.#putHead(head, local),
    );
    const alone = this.#unlisted === undefined ? this.#alone + (this.#lastAlone += 1) : local;
    const number = typeof shared === 'number' ? shared : alone;
    this.#remember(number, local);
    return { ...spill, url: artifactUrl(number), ...(typeof shared === 'string' && { unshared: shared }) };
  }

  #remember(number: number, local: number): void {
    this.#known.set(number, local);
    if (this.#known.size <= MOST_KNOWN) return;
    const [oldest] = this.#known.keys();
    this.#known.delete(oldest as number);
  }

  /** Gets a new number from the store and stores the head under it; returns the number, or why there is none. */
  async #publish(head: Head): Promise<number | string> {
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const number = await this.#space.add(NUMBER, 1, firstNumber(), KEEP_MS);
      if (number === 'away') return whyNot(this.#space);
      // Someone with write access to the store could have reset the number.
      const taken = this.#known.has(number) || (await this.#space.get(headName(number))) !== undefined;
      // A list request before the first output has set the number to 0.
      if (taken || number < LEAST_FIRST || number >= LEAST_ALONE) {
        await this.#space.add(NUMBER, firstNumber(), 0, KEEP_MS);
        continue;
      }
      return this.#putHead(head, number);
    }
    return 'its number was taken';
  }

  async #putHead(head: Head, number: number): Promise<number | string> {
    const put = await this.#space.put(headName(number), Buffer.from(JSON.stringify(head)), KEEP_MS);
    return put ? number : whyNot(this.#space);
  }

  /** The local number of a copy. Concurrent calls for the same output share one copy. */
  #copyOf(number: number): Promise<number> {
    let copying = this.#copying.get(number);
    if (!copying) {
      copying = this.#copy(number).finally(() => this.#copying.delete(number));
      this.#copying.set(number, copying);
    }
    return copying;
  }

  async #copy(number: number): Promise<number> {
    const head = await this.#headOf(number);
    if (head === 'away') throw unreachable(number);
    if (!head) throw await this.#missing(number);
    const sink = this.#own.create();
    try {
      const end = await this.#pieces.copy(head, sink);
      if (end === 'away') throw unreachable(number);
      if (end === 'missing') throw await this.#missing(number);
      const kept = await sink.finish(head.capped);
      if (kept.bytes !== head.bytes)
        throw new OrielError('LIMIT', `There is no room for a copy of ${artifactUrl(number)}.`);
      const local = artifactNumber(kept.url);
      this.#remember(number, local);
      return local;
    } catch (error) {
      sink.discard();
      throw error;
    }
  }

  async #headOf(number: number): Promise<Head | 'away' | undefined> {
    const bytes = await this.#space.get(headName(number));
    // The value was encrypted and authenticated by a replica, so its format needs no check.
    return bytes instanceof Uint8Array ? (JSON.parse(bytes.toString()) as Head) : bytes;
  }

  /** The last number given; 0 if none was given or the store is unavailable. */
  async #lastNumber(): Promise<number> {
    const last = await this.#space.add(NUMBER, 0, 0, KEEP_MS);
    return last === 'away' ? 0 : last;
  }

  /** The error names the last output if that still exists, which takes one lookup in the store. */
  async #missing(number: number): Promise<OrielError> {
    if (this.#unlisted !== undefined) return missingUnlisted(number);
    const last = await this.#lastNumber();
    const head = last < LEAST_FIRST || last === number ? undefined : await this.#headOf(last);
    const isThere = head !== undefined && head !== 'away';
    return missingArtifact(number, isThere ? artifactUrl(last) : this.list().at(-1)?.url);
  }
}

function unreachable(number: number): OrielError {
  return new OrielError(
    'BUSY',
    `${artifactUrl(number)} is not on this replica, and the shared store, which may have it, does not answer now. Read it again in a moment.`,
    { next: artifactUrl(number) },
  );
}
