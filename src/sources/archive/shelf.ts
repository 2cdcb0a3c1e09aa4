/** Owns which indexes a session keeps: by file version, bounded by members, the least recently used going first. */

import type { Contents } from './contents.ts';

/** Members of all kept indexes together: about 75 MB. An index of more than this is made anew for each call. */
const MOST_MEMBERS = 250_000;

export class Shelf {
  /** In the order of use, the latest last. */
  readonly #kept = new Map<string, Contents>();
  readonly #making = new Map<string, Promise<Contents>>();

  /** The index kept under `version`, or the one that `make` gives. Calls that arrive together make it once. */
  async get(version: string, make: () => Promise<Contents>, signal: AbortSignal): Promise<Contents> {
    const underWay = this.#making.get(version);
    const kept = this.#take(version) ?? (underWay && (await underWay.catch(() => undefined)));
    if (kept) return kept;
    // The call that was making it may have been ended, which is no fault of the archive.
    signal.throwIfAborted();
    const making = make();
    this.#making.set(version, making);
    try {
      const contents = await making;
      this.#keep(version, contents);
      return contents;
    } finally {
      if (this.#making.get(version) === making) this.#making.delete(version);
    }
  }
  #take(version: string): Contents | undefined {
    const contents = this.#kept.get(version);
    if (contents) this.#keep(version, contents);
    return contents;
  }

  #keep(version: string, contents: Contents): void {
    this.#kept.delete(version);
    this.#kept.set(version, contents);
    let members = 0;
    for (const [key, { members: held }] of [...this.#kept].reverse()) {
      members += held.length + 1;
      if (members > MOST_MEMBERS) this.#kept.delete(key);
    }
  }
}
