/**
 * The tags by which versions of a file are named: hexadecimal digits that come from the content. Within a session no tag of
 * a path ever stands for two contents, also when the older one is long forgotten.
 */

/** Versions whose tags are remembered, of all paths together; 150 bytes each. */
const MOST_KNOWN = 20_000;
/** Versions of one path. */
const MOST_OF_PATH = 1_000;

/** Digits that no two contents share. */
const LONG = 16;

interface Issued {
  readonly tags: Map<string, string>;
  /** Whether `tags` has all that were ever issued for the path. */
  complete: boolean;
}

export class Tags {
  /** By path, the one that was asked for longest ago first. */
  readonly #paths = new Map<string, Issued>();
  #known = 0;
  /** Whether a path was forgotten: then what is unknown may have had any tag of that length. */
  #forgot = false;
  readonly #isShared: boolean;
  readonly #digits: number;
  /** The next tag that nothing ever had, whatever the content. */
  #next: number;

  /**
   * `isShared`: other sessions give tags of the same paths, and are not asked. Then tags have more digits, and where one may
   * have been given before, sixteen of the digest instead of the next number, which others would give too.
   */
  constructor({ isShared = false }: { readonly isShared?: boolean } = {}) {
    this.#isShared = isShared;
    this.#digits = isShared ? 8 : 4;
    this.#next = 16 ** this.#digits;
  }

  /** `content` is a digest (hexadecimal). The same content has the same tag for as long as it is remembered. */
  of(path: string, content: string): string {
    const issued = this.#issuedFor(path);
    const known = issued.tags.get(content);
    if (known !== undefined) return known;
    const tag = issued.complete ? this.#fromContent(content, issued.tags) : this.#unlikeAny(content);
    issued.tags.set(content, tag);
    this.#known += 1;
    if (issued.tags.size > MOST_OF_PATH) this.#forgetOldest(issued);
    for (const [oldest] of this.#paths) {
      if (this.#known <= MOST_KNOWN) break;
      this.#forget(oldest);
    }
    return tag;
  }

  #issuedFor(path: string): Issued {
    const issued = this.#paths.get(path) ?? { tags: new Map<string, string>(), complete: !this.#forgot };
    this.#paths.delete(path);
    this.#paths.set(path, issued);
    return issued;
  }

  #forgetOldest(issued: Issued): void {
    for (const [content] of issued.tags) {
      issued.tags.delete(content);
      break;
    }
    issued.complete = false;
    this.#known -= 1;
  }

  #forget(path: string): void {
    this.#known -= this.#paths.get(path)?.tags.size ?? 0;
    this.#paths.delete(path);
    this.#forgot = true;
  }

  /** The first digits of the digest, or the next ones that no other content has. */
  #fromContent(content: string, tags: ReadonlyMap<string, string>): string {
    const taken = new Set(tags.values());
    if (this.#isShared) {
      const tag = content.slice(0, this.#digits).toUpperCase();
      return taken.has(tag) ? this.#unlikeAny(content) : tag;
    }
    let number = Number.parseInt(content.slice(0, this.#digits), 16);
    while (taken.has(this.#format(number))) number = (number + 1) % 16 ** this.#digits;
    return this.#format(number);
  }

  #unlikeAny(content: string): string {
    return this.#isShared ? content.slice(0, LONG).toUpperCase() : this.#format(this.#next++);
  }

  #format(number: number): string {
    return number.toString(16).toUpperCase().padStart(this.#digits, '0');
  }
}
