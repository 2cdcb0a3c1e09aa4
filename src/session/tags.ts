/**
 * Tags that name versions of a file: hexadecimal digits derived from the content. Within a session, no tag of a path ever
 * names two contents, even after the older one was evicted.
 */

/** The most versions whose tags are remembered, of all paths together; 150 bytes each. */
const MOST_KNOWN = 20_000;
/** The most versions remembered of one path. */
const MOST_OF_PATH = 1_000;

/** Digits that are enough to make a collision of two digests practically impossible. */
const LONG = 16;

interface Issued {
  readonly tags: Map<string, string>;
  /** Whether `tags` contains every tag that was ever issued for the path. */
  complete: boolean;
}

export class Tags {
  /** By path, least recently used first. */
  readonly #paths = new Map<string, Issued>();
  #known = 0;
  /** Whether a path was evicted: then any short tag may already have been issued for an unknown path. */
  #forgot = false;
  readonly #isShared: boolean;
  readonly #digits: number;
  /** The next sequential tag; no path has ever had it. */
  #next: number;

  /**
   * `isShared`: other sessions issue tags for the same paths without coordination. Then tags have eight digits, and where
   * a tag may have been issued before, sixteen digits of the digest replace the sequential tag, which others would issue too.
   */
  constructor({ isShared = false }: { readonly isShared?: boolean } = {}) {
    this.#isShared = isShared;
    this.#digits = isShared ? 8 : 4;
    this.#next = 16 ** this.#digits;
  }

  /** The tag of a content. `content` is a digest (hexadecimal). The tag stays the same as long as it is remembered. */
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

  /** The first digits of the digest; if another content of the path has these, the next free tag. */
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
