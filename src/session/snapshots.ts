/**
 * Owns what was shown of which version of a file, so that an edit that names a line by tag and number can be held
 * against what the model saw, also after the file has changed.
 */

import { Lru } from './lru.ts';

const MOST_PATHS = 30;
/** Tags of one path that are remembered; older versions are forgotten first. */
const MOST_VERSIONS = 8;
/** Lines remembered of one version. */
const MOST_LINES = 20_000;

interface Snapshot {
  readonly tag: string;
  readonly content: string;
  readonly lines: Map<number, string>;
}

export class Snapshots {
  readonly #paths = new Lru<Snapshot[]>(MOST_PATHS);

  /**
   * The tag (four hexadecimal digits) of this content of `path`: the same for the same content, another for every
   * other content of this path that the session has seen. `content` is a digest of it (hexadecimal).
   */
  tag(path: string, content: string): string {
    const snapshots = this.#versionsOf(path);
    const known = snapshots.find((snapshot) => snapshot.content === content);
    if (known) return known.tag;
    const taken = new Set(snapshots.map((snapshot) => snapshot.tag));
    let number = Number.parseInt(content.slice(0, 4), 16);
    while (taken.has(format(number))) number = (number + 1) & 0xffff;
    const tag = format(number);
    snapshots.push({ tag, content, lines: new Map() });
    if (snapshots.length > MOST_VERSIONS) snapshots.shift();
    return tag;
  }

  /** Remembers lines (1-based number, text without prefix) that were shown under a tag. */
  see(path: string, tag: string, lines: Iterable<readonly [number, string]>): void {
    const snapshot = this.#find(path, tag);
    if (!snapshot) return;
    for (const [no, text] of lines) if (snapshot.lines.size < MOST_LINES) snapshot.lines.set(no, text);
  }

  /** What line `no` said when it was shown under `tag`; undefined when that was not shown or is forgotten. */
  recall(path: string, tag: string, no: number): string | undefined {
    return this.#find(path, tag)?.lines.get(no);
  }

  /** Every line shown under a tag, by number; empty for an unknown tag. */
  seen(path: string, tag: string): ReadonlyMap<number, string> {
    return this.#find(path, tag)?.lines ?? new Map();
  }

  #find(path: string, tag: string): Snapshot | undefined {
    return this.#paths.get(path)?.find((snapshot) => snapshot.tag === tag);
  }

  #versionsOf(path: string): Snapshot[] {
    const known = this.#paths.get(path);
    if (known) return known;
    const snapshots: Snapshot[] = [];
    this.#paths.set(path, snapshots);
    return snapshots;
  }
}

function format(number: number): string {
  return number.toString(16).toUpperCase().padStart(4, '0');
}
