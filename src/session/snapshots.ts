/**
 * Snapshots: the lines of each version of a file that were shown. An edit that names a line by tag and number can be
 * compared with what the model saw, even after the file has changed.
 */

import type { SnapshotStore } from '../types/session.ts';
import { Lru } from './lru.ts';
import { Tags } from './tags.ts';

const MOST_PATHS = 30;
/** Versions of one path whose lines are remembered; the oldest are evicted first. */
const MOST_VERSIONS = 8;
/** The most lines remembered of one version, and the most bytes of all paths together. */
const MOST_LINES = 20_000;
const MOST_BYTES = 32 << 20;
/** The bytes counted for a line in addition to its text. */
const LINE_BYTES = 80;

interface Snapshot {
  readonly tag: string;
  readonly lines: Map<number, string>;
  bytes: number;
}

export class Snapshots implements SnapshotStore {
  readonly #paths = new Lru<Snapshot[]>(MOST_PATHS, MOST_BYTES);
  readonly #tags: Tags;

  constructor(options?: ConstructorParameters<typeof Tags>[0]) {
    this.#tags = new Tags(options);
  }

  /**
   * The tag of one content of `path`. `content` is a digest (hexadecimal). Tags are hexadecimal; they become longer once a
   * session has shown thousands of versions. No other content of the path ever gets the same tag.
   */
  tag(path: string, content: string): string {
    const tag = this.#tags.of(path, content);
    this.#begin(path, tag);
    return tag;
  }

  /** Remembers lines that other replicas have shown under a tag. */
  learn(path: string, tag: string, lines: Iterable<readonly [number, string]>): void {
    this.#begin(path, tag);
    this.see(path, tag, lines);
  }

  /** Remembers lines (1-based number, text without prefix) that were shown under a tag. */
  see(path: string, tag: string, lines: Iterable<readonly [number, string]>): void {
    const snapshots = this.#paths.get(path);
    const snapshot = snapshots?.find((known) => known.tag === tag);
    if (!snapshots || !snapshot) return;
    for (const [no, text] of lines) {
      if (snapshot.lines.size >= MOST_LINES) break;
      if (!snapshot.lines.has(no)) snapshot.bytes += LINE_BYTES + 2 * text.length;
      snapshot.lines.set(no, text);
    }
    this.#keep(path, snapshots);
  }

  /** The text of line `no` (1-based) as it was shown under `tag`; undefined if it was not shown or was evicted. */
  recall(path: string, tag: string, no: number): string | undefined {
    return this.#find(path, tag)?.lines.get(no);
  }

  /** Every line shown under a tag, by number; empty for an unknown tag. */
  seen(path: string, tag: string): ReadonlyMap<number, string> {
    return this.#find(path, tag)?.lines ?? new Map();
  }

  lines(path: string, tag: string, from: number, to: number): Promise<ReadonlyMap<number, string>> {
    const within = Array.from(this.seen(path, tag)).filter(([no]) => no >= from && no <= to);
    return Promise.resolve(new Map(within.toSorted(([a], [b]) => a - b)));
  }

  #begin(path: string, tag: string): void {
    const snapshots = this.#paths.get(path) ?? [];
    if (!snapshots.some((snapshot) => snapshot.tag === tag)) {
      snapshots.push({ tag, lines: new Map(), bytes: 0 });
      if (snapshots.length > MOST_VERSIONS) snapshots.shift();
    }
    this.#keep(path, snapshots);
  }

  #find(path: string, tag: string): Snapshot | undefined {
    return this.#paths.get(path)?.find((snapshot) => snapshot.tag === tag);
  }

  #keep(path: string, snapshots: Snapshot[]): void {
    this.#paths.set(
      path,
      snapshots,
      snapshots.reduce((sum, { bytes }) => sum + bytes, 0),
    );
  }
}
