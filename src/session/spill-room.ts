/**
 * The room that kept outputs share: bytes on disk in all, whoever they are kept for. Where there is none, the oldest output
 * of whoever has most makes room; what is still being written does not, and is cut where nothing else is left.
 */

/** One output's part of the room. */
export interface SpillShare {
  /** Asks for so many bytes more and returns how many there are. */
  take(bytes: number): number;
  /** The output is whole: from now on it may make room for others. */
  keep(): void;
  /** The output is gone. */
  drop(): void;
}

interface Share {
  readonly owner: object;
  bytes: number;
  kept: boolean;
  readonly remove: () => void;
}

export class SpillRoom {
  /** Bytes. */
  readonly total: number;
  #used = 0;
  /** Oldest first. */
  readonly #shares = new Set<Share>();

  constructor(total: number) {
    this.total = total;
  }

  get used(): number {
    return this.#used;
  }

  /** For an output of `owner` that begins; `remove` is called when it must make room. */
  begin(owner: object, remove: () => void): SpillShare {
    const share: Share = { owner, bytes: 0, kept: false, remove };
    this.#shares.add(share);
    return {
      take: (bytes) => this.#take(share, bytes),
      keep() {
        share.kept = true;
      },
      drop: () => this.#drop(share),
    };
  }

  /** All outputs of `owner` are gone. */
  leave(owner: object): void {
    for (const share of this.#shares) if (share.owner === owner) this.#drop(share);
  }

  #take(share: Share, bytes: number): number {
    // Ended meanwhile, with all of its owner.
    if (!this.#shares.has(share)) return 0;
    while (this.#used + bytes > this.total) {
      const oldest = this.#oldestOfLargest();
      if (!oldest) break;
      this.#drop(oldest);
      oldest.remove();
    }
    const granted = Math.min(bytes, Math.max(0, this.total - this.#used));
    share.bytes += granted;
    this.#used += granted;
    return granted;
  }

  #drop(share: Share): void {
    if (this.#shares.delete(share)) this.#used -= share.bytes;
  }

  /** Of the owner whose kept outputs take most. */
  #oldestOfLargest(): Share | undefined {
    const owned = new Map<object, { bytes: number; oldest: Share }>();
    for (const share of this.#shares) {
      if (!share.kept) continue;
      const known = owned.get(share.owner);
      if (known) known.bytes += share.bytes;
      else owned.set(share.owner, { bytes: share.bytes, oldest: share });
    }
    let largest: { bytes: number; oldest: Share } | undefined;
    for (const one of owned.values()) if (!largest || one.bytes > largest.bytes) largest = one;
    return largest?.oldest;
  }
}
