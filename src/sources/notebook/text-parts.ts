/** Joins a text that may come in millions of parts, a few thousand at a time. */

const AT_ONCE = 4096;

export class Parts {
  #length = 0;
  readonly #joined: string[] = [];
  #last: string[] = [];

  /** The length in UTF-16 units. */
  get length(): number {
    return this.#length;
  }

  add(part: string): void {
    this.#length += part.length;
    if (this.#last.push(part) < AT_ONCE) return;
    this.#joined.push(this.#last.join(''));
    this.#last = [];
  }

  toString(): string {
    return this.#joined.join('') + this.#last.join('');
  }
}
