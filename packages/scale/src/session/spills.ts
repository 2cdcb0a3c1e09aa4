/**
 * Kept outputs that all replicas can read. Each is in a private file here and in pieces in the shared store. An output
 * of another replica is copied to a private file when it is first read, so that later pages do not depend on the store.
 */

import { randomBytes, randomInt } from 'node:crypto';
import { open } from 'node:fs/promises';
import type { OrielError } from '../../../../src/errors.ts';
import type { LocalParts, SharedParts } from '../../../../src/session/shared.ts';
import type { LocalSpills } from '../../../../src/session/spills.ts';
import type {
  KeptSpill,
  OpenedSpill,
  SpilledOutput,
  SpillSink,
  SpillStore,
} from '../../../../src/types/session.ts';
import type { StateName, StateSpace } from '../../../../src/types/state.ts';
import { oriel } from '../oriel.ts';
import { SharedCache, SharedSnapshots } from './cache.ts';
import { MissingPiece, piecesOf, putPieces, removePieces } from '../state/values.ts';

/** The number of outputs whose local file is remembered; others are copied again. */
const MAX_COPIED_SPILLS = 10_000;

/** A listing looks at this many numbers from the last one down, in batches, and ends at a batch without outputs. */
const MAX_LISTED_SPILL_NUMBERS = 100;
const LISTED_AT_ONCE = 10;

/**
 * Numbers of one space are consecutive. The first is a random multiple of this, so that no number is reused for another
 * output after the store was emptied.
 */
const MIN_SHARED_SPILL_NUMBER = 1_000;

/** Numbers from here on are of outputs that only one replica has. */
const MIN_UNSHARED_SPILL_NUMBER = 9_000_000_000_000;

const firstNumber = (): number => MIN_SHARED_SPILL_NUMBER * randomInt(1, 900_000);

const NUMBER: StateName = { kind: 'number', of: ['spill'] };

/** The most bytes of a shared output; a larger one stays on the replica that made it. */
const MAX_SHARED_SPILL_BYTES: number = 64 << 20;

/** The daily quota: bytes of outputs that one client may share. */
const MAX_DAILY_SPILL_BYTES: number = 512 << 20;

const DAY_MS = 24 * 60 * 60_000;

/** How long other replicas can read an output, in ms. */
const KEEP_MS: number = DAY_MS;

/** Timeouts for sending and for copying one output, in ms. */
const SENDING_MS = 5_000;
const COPYING_MS = 20_000;

/** As `shareSession` of oriel. */
export function replicateSession({ files, spills, space, unlisted }: LocalParts): SharedParts {
  return {
    disk: files && new SharedCache(files, space),
    shownTo: unlisted === undefined ? new SharedSnapshots(space) : undefined,
    spills: new SharedSpills(spills, space, { unlisted }),
  };
}

/** What is stored under the number of an output; its pieces are stored under its id. */
interface SpillHead {
  /** Random, so that pieces of another output with the same number are never used. */
  readonly id: string;
  readonly bytes: number;
  readonly capped: boolean;
}

interface SharedSpillsOptions {
  /**
   * The owner of these outputs, if several clients without a name share the space; then they are not listed.
   */
  readonly unlisted?: string | undefined;
}

export class SharedSpills implements SpillStore {
  readonly #own: LocalSpills;
  readonly #space: StateSpace;
  readonly #unlisted: string | undefined;
  /** Local numbers (in the private directory) by the numbers that callers know, oldest first. */
  readonly #known = new Map<number, number>();
  readonly #copying = new Map<number, Promise<number>>();
  /**
   * The next number for outputs that only this replica has: longer than all numbers of the store, and
   * different from those of other replicas.
   */
  readonly #alone = MIN_UNSHARED_SPILL_NUMBER + 10_000 * randomInt(0, 99_999_999);
  #lastAlone = 0;

  /** If outputs are unlisted, `own` creates random numbers, which are used in the store too. */
  constructor(own: LocalSpills, space: StateSpace, { unlisted }: SharedSpillsOptions = {}) {
    this.#own = own;
    this.#space = space;
    this.#unlisted = unlisted;
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
    const sizes = new Map(this.#own.list().map(({ url, bytes }) => [oriel.artifactNumber(url), bytes]));
    return Array.from(this.#known)
      .flatMap(([number, local]) => {
        const bytes = sizes.get(local);
        return bytes === undefined ? [] : [{ number, bytes }];
      })
      .sort((a, b) => a.number - b.number)
      .map(({ number, bytes }) => ({ url: oriel.artifactUrl(number), bytes }));
  }

  /** Lists the outputs of this replica and the latest ones of other replicas. */
  async listAll(): Promise<readonly KeptSpill[]> {
    if (this.#unlisted !== undefined) return [];
    const all = new Map(this.list().map((kept) => [oriel.artifactNumber(kept.url), kept]));
    const last = await this.#lastNumber();
    const end = Math.max(MIN_SHARED_SPILL_NUMBER, last - MAX_LISTED_SPILL_NUMBERS);
    for (let from = last; from > end; from -= LISTED_AT_ONCE) {
      const numbers = Array.from({ length: Math.min(LISTED_AT_ONCE, from - end) }, (_, i) => from - i);
      const heads = await Promise.all(
        numbers.map(async (number) => (all.has(number) ? 'here' : await this.#headOf(number))),
      );
      for (const [i, head] of heads.entries()) {
        const number = numbers[i] as number;
        if (typeof head === 'object') all.set(number, { url: oriel.artifactUrl(number), bytes: head.bytes });
      }
      if (heads.includes('away') || heads.every((head) => head === undefined)) break;
    }
    return Array.from(all.values()).sort((a, b) => oriel.artifactNumber(a.url) - oriel.artifactNumber(b.url));
  }

  /** Throws `NOT_FOUND`, and `BUSY` if only the store may have it and the store is unavailable. */
  async open(number: number): Promise<OpenedSpill> {
    const local = this.#known.get(number);
    if (local !== undefined) {
      try {
        return await this.#own.open(local);
      } catch (error) {
        // It was evicted here; the store may still have it.
        if (!oriel.isOrielError(error) || error.code !== 'NOT_FOUND') throw error;
        this.#known.delete(number);
      }
    }
    return this.#own.open(await this.#copyOf(number));
  }

  async #share(spill: SpilledOutput): Promise<SpilledOutput> {
    const local = oriel.artifactNumber(spill.url);
    const shared = await this.#send(spill, local);
    const alone = this.#unlisted === undefined ? this.#alone + (this.#lastAlone += 1) : local;
    const number = typeof shared === 'number' ? shared : alone;
    this.#remember(number, local);
    return {
      ...spill,
      url: oriel.artifactUrl(number),
      ...(typeof shared === 'string' && { unshared: shared }),
    };
  }

  /**
   * Stores an output. Returns its number, or the reason why it has none: then it is removed from the store again and does
   * not count towards the daily quota, if the store answers.
   */
  async #send({ bytes, capped, path }: SpilledOutput, local: number): Promise<number | string> {
    if (bytes > MAX_SHARED_SPILL_BYTES) return `it is larger than ${MAX_SHARED_SPILL_BYTES >> 20} MiB`;
    const owner = this.#unlisted === undefined ? [] : [this.#unlisted];
    const today: StateName = {
      kind: 'quota',
      of: ['spill', Math.floor(Date.now() / DAY_MS), ...owner],
    };
    const used = await this.#space.add(today, bytes, 0, 2 * DAY_MS);
    if (used === 'away') return storeRefusalReason(this.#space);
    const head: SpillHead = { id: randomBytes(12).toString('base64url'), bytes, capped };
    let sent: number | string = '';
    try {
      if (used > MAX_DAILY_SPILL_BYTES)
        sent = `more than ${MAX_DAILY_SPILL_BYTES >> 20} MiB were shared today`;
      else sent = (await this.#putFile(head, path)) ?? (await this.#publish(head, local));
      return sent;
    } finally {
      if (typeof sent === 'string') {
        void this.#space.add(today, -bytes, 0, 2 * DAY_MS);
        if (used <= MAX_DAILY_SPILL_BYTES) void removePieces(this.#space, spillPieceName(head.id), bytes);
      }
    }
  }

  /** Stores all pieces; returns the reason if that failed, undefined otherwise. */
  async #putFile({ id, bytes }: SpillHead, path: string): Promise<string | undefined> {
    const end = performance.now() + SENDING_MS;
    const file = await open(path, 'r').catch((error: unknown) => {
      throw oriel.writeFailure(error, 'The full output could not be kept');
    });
    const read = async (start: number, length: number): Promise<Uint8Array> => {
      const piece = Buffer.allocUnsafe(performance.now() > end ? 0 : length);
      for (let done = 0; done < piece.length;) {
        const { bytesRead } = await file.read(piece, done, piece.length - done, start + done);
        if (bytesRead === 0)
          throw new oriel.OrielError('LIMIT', 'The full output was removed while it was shared.');
        done += bytesRead;
      }
      return piece;
    };
    try {
      if (await putPieces(this.#space, spillPieceName(id), read, bytes, KEEP_MS)) return undefined;
      return performance.now() > end
        ? `the shared store took longer than ${SENDING_MS / 1000} seconds`
        : storeRefusalReason(this.#space);
    } finally {
      await file.close();
    }
  }

  #remember(number: number, local: number): void {
    this.#known.set(number, local);
    if (this.#known.size <= MAX_COPIED_SPILLS) return;
    const [oldest] = this.#known.keys();
    this.#known.delete(oldest as number);
  }

  /** Gets a new number from the store and stores the head under it; returns the number, or why there is none. */
  async #publish(head: SpillHead, local: number): Promise<number | string> {
    if (this.#unlisted !== undefined) return this.#putHead(head, local);
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const number = await this.#space.add(NUMBER, 1, firstNumber(), KEEP_MS);
      if (number === 'away') return storeRefusalReason(this.#space);
      // Someone with write access to the store could have reset the number.
      const taken = this.#known.has(number) || (await this.#space.get(spillHeadName(number))) !== undefined;
      // A list request before the first output has set the number to 0.
      if (taken || number < MIN_SHARED_SPILL_NUMBER || number >= MIN_UNSHARED_SPILL_NUMBER) {
        await this.#space.add(NUMBER, firstNumber(), 0, KEEP_MS);
        continue;
      }
      return this.#putHead(head, number);
    }
    return 'its number was taken';
  }

  async #putHead(head: SpillHead, number: number): Promise<number | string> {
    const put = await oriel.putJson(this.#space, spillHeadName(number), head, KEEP_MS);
    return put ? number : storeRefusalReason(this.#space);
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
      const end = performance.now() + COPYING_MS;
      for await (const piece of piecesOf(this.#space, spillPieceName(head.id), head.bytes)) {
        if (performance.now() > end) throw unreachable(number);
        await sink.write(piece);
      }
      const kept = await sink.finish(head.capped);
      if (kept.bytes !== head.bytes)
        throw new oriel.OrielError('LIMIT', `There is no room for a copy of ${oriel.artifactUrl(number)}.`);
      const local = oriel.artifactNumber(kept.url);
      this.#remember(number, local);
      return local;
    } catch (error) {
      sink.discard();
      if (!(error instanceof MissingPiece)) throw error;
      throw this.#space.isUp ? await this.#missing(number) : unreachable(number);
    }
  }

  #headOf(number: number): Promise<SpillHead | 'away' | undefined> {
    return oriel.readJson<SpillHead>(this.#space, spillHeadName(number));
  }

  /** The last number given; 0 if none was given or the store is unavailable. */
  async #lastNumber(): Promise<number> {
    const last = await this.#space.add(NUMBER, 0, 0, KEEP_MS);
    return last === 'away' ? 0 : last;
  }

  /** The error names the last output if that still exists, which takes one lookup in the store. */
  async #missing(number: number): Promise<OrielError> {
    if (this.#unlisted !== undefined) return oriel.missingUnlisted(number);
    const last = await this.#lastNumber();
    const head = last < MIN_SHARED_SPILL_NUMBER || last === number ? undefined : await this.#headOf(last);
    const isThere = head !== undefined && head !== 'away';
    return oriel.missingArtifact(number, isThere ? oriel.artifactUrl(last) : this.list().at(-1)?.url);
  }
}

function unreachable(number: number): OrielError {
  return new oriel.OrielError(
    'BUSY',
    `${oriel.artifactUrl(number)} is not on this replica, and the shared store, which may have it, does not answer now. Read it again in a moment.`,
    { next: oriel.artifactUrl(number) },
  );
}

function spillHeadName(number: number): StateName {
  return { kind: 'spill', of: [number] };
}

const spillPieceName =
  (id: string) =>
  (index: number): StateName => ({ kind: 'piece', of: [id, index] });

/** The reason, for a message, why the store has not accepted a value. */
function storeRefusalReason({ isUp }: StateSpace): string {
  return isUp ? 'the shared store does not take it' : 'the shared store does not answer';
}
