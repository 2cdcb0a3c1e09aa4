/**
 * The quota of kept outputs over all sessions: total bytes, and the number of outputs per session and in all. When it is
 * exceeded, the oldest output of the session with the highest use is evicted. An output that is still being written is
 * never evicted; it is truncated if nothing else can be evicted.
 */

/** The most outputs of one session. More would not be useful, and listing them takes some milliseconds. */
export const MOST_OUTPUTS = 1_000;

/** The most outputs of all sessions; each is a file. */
const MOST_IN_ALL = 20_000;

/** One output's share of the quota. */
export interface SpillShare {
  /** Reserves up to `bytes` more and returns how many were granted. */
  take(bytes: number): number;
  /** Marks the output as complete: it may be evicted. */
  keep(): void;
  /** Returns the share to the quota after the output was removed. */
  drop(): void;
}

interface Share {
  readonly owner: Owner;
  bytes: number;
  kept: boolean;
  readonly remove: () => void;
}

interface Owner {
  readonly key: object;
  /** Oldest first. */
  readonly shares: Set<Share>;
  bytes: number;
}

export class SpillQuota {
  /** The quota in bytes. */
  readonly total: number;
  #used = 0;
  #outputs = 0;
  readonly #owners = new Map<object, Owner>();

  constructor(total: number) {
    this.total = total;
  }

  get used(): number {
    return this.#used;
  }

  /** Outputs that are kept or being written. */
  get outputs(): number {
    return this.#outputs;
  }

  /** Begins an output of the owner `key` (compared by identity); `remove` is called when it is evicted. */
  begin(key: object, remove: () => void): SpillShare {
    const owner = this.#owners.get(key) ?? { key, shares: new Set(), bytes: 0 };
    if (owner.shares.size >= MOST_OUTPUTS) this.#evict(owner);
    if (this.#outputs >= MOST_IN_ALL) this.#evict(this.#heaviest(({ shares }) => shares.size));
    this.#owners.set(key, owner);
    const share: Share = { owner, bytes: 0, kept: false, remove };
    owner.shares.add(share);
    this.#outputs += 1;
    return {
      take: (bytes) => this.#take(share, bytes),
      keep() {
        share.kept = true;
      },
      drop: () => this.#drop(share),
    };
  }

  /** Returns all shares of the owner `key` after its outputs were removed. */
  leave(key: object): void {
    for (const share of this.#owners.get(key)?.shares ?? []) this.#drop(share);
  }

  #take(share: Share, bytes: number): number {
    // The session was closed meanwhile.
    if (!share.owner.shares.has(share)) return 0;
    while (this.#used + bytes > this.total) {
      if (!this.#evict(this.#heaviest((owner) => owner.bytes))) break;
    }
    const granted = Math.min(bytes, Math.max(0, this.total - this.#used));
    this.#add(share, granted);
    return granted;
  }

  #add(share: Share, bytes: number): void {
    share.bytes += bytes;
    share.owner.bytes += bytes;
    this.#used += bytes;
  }

  #drop(share: Share): void {
    const { owner } = share;
    if (!owner.shares.delete(share)) return;
    if (owner.shares.size === 0) this.#owners.delete(owner.key);
    this.#add(share, -share.bytes);
    this.#outputs -= 1;
  }

  /** Evicts the oldest complete output of the owner; false if there is none. */
  #evict(owner: Owner | undefined): boolean {
    const oldest = owner && oldestOf(owner);
    if (!oldest) return false;
    this.#drop(oldest);
    oldest.remove();
    return true;
  }

  /** The owner with the highest value of `weigh` among those that have a complete output. */
  #heaviest(weigh: (owner: Owner) => number): Owner | undefined {
    let heaviest: Owner | undefined;
    for (const owner of this.#owners.values()) {
      if (heaviest && weigh(owner) <= weigh(heaviest)) continue;
      if (oldestOf(owner)) heaviest = owner;
    }
    return heaviest;
  }
}

function oldestOf({ shares }: Owner): Share | undefined {
  for (const share of shares) if (share.kept) return share;
  return undefined;
}
