/**
 * The disk quota that kept outputs share, whatever session they belong to. When it is used up, the oldest output of the
 * session with the most bytes is evicted. An output that is still being written is never evicted, but cut where no other
 * is left.
 */

/** One output's share of the quota. */
export interface SpillShare {
  /** Asks for `bytes` more and returns how many are granted. */
  take(bytes: number): number;
  /** The output is complete: from now on it may be evicted. */
  keep(): void;
  /** The output was removed. */
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

  /** Outputs that are kept or being written. */
  get outputs(): number {
    return this.#shares.size;
  }

  /** Begins an output of `owner`; `remove` is called when it is evicted. */
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

  /** All outputs of `owner` were removed. */
  leave(owner: object): void {
    for (const share of this.#shares) if (share.owner === owner) this.#drop(share);
  }

  #take(share: Share, bytes: number): number {
    // Its session was closed meanwhile.
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

  /** The oldest complete output of the owner with the most bytes. */
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
