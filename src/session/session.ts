/** Owns what outlives one call: snapshots of what was shown, spilled outputs, line indexes, caches. */

export interface Session {
  /** A cache of derived things under `kind` and a version key; bounded, least recently used first out. */
  cached<T extends object>(kind: string, key: string, make: () => Promise<T>): Promise<T>;
  /** A private file (mode 0600) in the session's folder, for what is too large for memory. */
  scratch(): Promise<ScratchFile>;
}

export interface ScratchFile {
  readonly path: string;
  /** Appends; resolves when written. */
  append(bytes: Uint8Array): Promise<void>;
  readInto(target: Uint8Array, offset: number): Promise<number>;
  /** Closes the descriptor; `keep` leaves the file where it is, otherwise it is removed. */
  close(keep?: boolean): Promise<void>;
}
