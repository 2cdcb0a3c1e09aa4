/** Owns what outlives one call: snapshots of what was shown, spilled outputs, line indexes, caches. */

export interface Session {
  /** A cache of derived things under `kind` and a version key; bounded, least recently used first out. */
  cached<T extends object>(kind: string, key: string, make: () => Promise<T>): Promise<T>;
}
