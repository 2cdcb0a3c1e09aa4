/** Limits the bytes that peers hold in memory: bodies of requests, unsent bytes of answers. The heaviest address pays. */

import { type Caller, type CallerOrigin, callerOrigin } from './caller.ts';

interface BudgetHolder {
  readonly client: Caller;
  /** Bytes that it holds. */
  readonly bytes: number;
}

export class FairBudget<H extends BudgetHolder> {
  readonly #most: number;
  /** Those that hold bytes, the longest unchanged first. */
  readonly #holders = new Set<H>();
  readonly #byClient = new Map<Caller, number>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#most = maxBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get isExceeded(): boolean {
    return this.#bytes > this.#most;
  }

  /** Those that hold bytes, the longest unchanged first. */
  get holders(): ReadonlySet<H> {
    return this.#holders;
  }

  bytesOf(client: Caller): number {
    return this.#byClient.get(client) ?? 0;
  }

  /** To be called when the bytes of `holder` have changed by `more`. */
  changed(holder: H, more: number): void {
    this.#holders.delete(holder);
    if (holder.bytes > 0) this.#holders.add(holder);
    this.#bytes += more;
    const bytes = this.bytesOf(holder.client) + more;
    if (bytes > 0) this.#byClient.set(holder.client, bytes);
    else this.#byClient.delete(holder.client);
  }

  /**
   * Of the address with most bytes, its client with most: what is unchanged for the longest time. Undefined if the address of
   * `than` has as much.
   */
  heaviest(than?: Caller): H | undefined {
    const addresses = groupsOf(this.#holders, ({ client }) => callerOrigin(client));
    const own = than && addresses.get(callerOrigin(than));
    const address = largest(addresses);
    if (!address || (own && own.bytes >= address.bytes)) return undefined;
    return largest(groupsOf(address.holders, ({ client }) => client))?.holders[0];
  }
}

interface HolderGroup<H> {
  bytes: number;
  readonly holders: H[];
}

function groupsOf<H extends BudgetHolder>(
  holders: Iterable<H>,
  keyOf: (holder: H) => CallerOrigin,
): ReadonlyMap<CallerOrigin, HolderGroup<H>> {
  const groups = new Map<CallerOrigin, HolderGroup<H>>();
  for (const holder of holders) {
    const group = groups.get(keyOf(holder)) ?? { bytes: 0, holders: [] };
    groups.set(keyOf(holder), group);
    group.bytes += holder.bytes;
    group.holders.push(holder);
  }
  return groups;
}

/** The first of equal groups. */
function largest<H>(groups: ReadonlyMap<CallerOrigin, HolderGroup<H>>): HolderGroup<H> | undefined {
  let most: HolderGroup<H> | undefined;
  for (const group of groups.values()) if (!most || group.bytes > most.bytes) most = group;
  return most;
}
