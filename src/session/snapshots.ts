/**
 * Snapshots: the lines of each version of a file that were shown. An edit that names a line by tag and number can be
 * compared with what the model saw, even after the file has changed.
 */

import { existsSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import type { Identity } from '../identity.ts';
import { type Caller, callerName } from '../queues/caller.ts';
import type { SeenStore, SeenVersion, SnapshotStore, SpilledOutput, SpillStore } from '../types/session.ts';
import type { StateName, StateSpace } from '../types/state.ts';

const MAX_SNAPSHOT_PATHS = 30;
/** Versions of one path whose lines are remembered; the oldest are evicted first. */
const MAX_PATH_VERSIONS = 8;
/** The most lines remembered of one version, and the most bytes of all paths together. */
const MAX_VERSION_LINES = 20_000;
const MAX_SNAPSHOT_BYTES = 32 << 20;
/** The bytes counted for a line in addition to its text. */
const LINE_BYTES = 80;

interface Snapshot {
  readonly tag: string;
  readonly lines: Map<number, string>;
  bytes: number;
}

export class LocalSnapshots implements SnapshotStore {
  readonly #paths = new LruMap<Snapshot[]>(MAX_SNAPSHOT_PATHS, MAX_SNAPSHOT_BYTES);
  readonly #tags: VersionTags;

  constructor(digits?: number) {
    this.#tags = new VersionTags(digits);
  }

  /**
   * The tag of one content of `path`. `content` is a digest (hexadecimal). Tags are hexadecimal; they become longer once a
   * session has shown thousands of versions. No other content of the path ever gets the same tag.
   */
  tag(path: string, content: string): string {
    return this.#tags.of(path, content);
  }

  /** Remembers lines (1-based number, text without prefix) that were shown under a tag, here or by other replicas. */
  see(path: string, tag: string, lines: Iterable<readonly [number, string]>): void {
    const snapshots = this.#paths.get(path) ?? [];
    let snapshot = snapshots.find((known) => known.tag === tag);
    if (!snapshot) {
      snapshot = { tag, lines: new Map(), bytes: 0 };
      snapshots.push(snapshot);
      if (snapshots.length > MAX_PATH_VERSIONS) snapshots.shift();
    }
    for (const [no, text] of lines) {
      if (snapshot.lines.size >= MAX_VERSION_LINES) break;
      if (!snapshot.lines.has(no)) snapshot.bytes += LINE_BYTES + 2 * text.length;
      snapshot.lines.set(no, text);
    }
    this.#paths.set(
      path,
      snapshots,
      snapshots.reduce((sum, { bytes }) => sum + bytes, 0),
    );
  }

  lines(path: string, tag: string, from: number, to: number): Promise<ReadonlyMap<number, string>> {
    const snapshot = this.#paths.get(path)?.find((known) => known.tag === tag);
    const within = Array.from(snapshot?.lines ?? []).filter(([no]) => no >= from && no <= to);
    return Promise.resolve(new Map(within.toSorted(([a], [b]) => a - b)));
  }
}

// Tags that name versions of a file: hexadecimal digits derived from the content. Within a session, no tag of a path ever
// names two contents, even after the older one was evicted.

/** The most versions whose tags are remembered, of all paths together; 150 bytes each. */
const MAX_TAGGED_VERSIONS = 20_000;
const MAX_TAGGED_PATH_VERSIONS = 1_000;

/** Digits of a tag where a shorter one may name another content. A collision of two digests is practically impossible. */
const LONG = 16;

interface Issued {
  readonly tags: Map<string, string>;
  /** Whether `tags` contains every tag that was ever issued for the path. */
  complete: boolean;
}

export class VersionTags {
  /** By path, least recently used first. */
  readonly #paths = new Map<string, Issued>();
  #known = 0;
  /** Whether a path was evicted: then any short tag may already have been issued for an unknown path. */
  #forgot = false;
  readonly #digits: number;

  /** `digits` of a short tag: more where other sessions issue tags for the same paths without coordination. */
  constructor(digits = 4) {
    this.#digits = digits;
  }

  /** The tag of a content. `content` is a digest (hexadecimal). The tag stays the same as long as it is remembered. */
  of(path: string, content: string): string {
    const issued = this.#paths.get(path) ?? { tags: new Map<string, string>(), complete: !this.#forgot };
    this.#paths.delete(path);
    this.#paths.set(path, issued);
    const known = issued.tags.get(content);
    if (known !== undefined) return known;
    const short = content.slice(0, this.#digits).toUpperCase();
    const isFree = issued.complete && !new Set(issued.tags.values()).has(short);
    const tag = isFree ? short : content.slice(0, LONG).toUpperCase();
    issued.tags.set(content, tag);
    this.#known += 1;
    if (issued.tags.size > MAX_TAGGED_PATH_VERSIONS) this.#forgetOldest(issued);
    for (const [oldest, { tags }] of this.#paths) {
      if (this.#known <= MAX_TAGGED_VERSIONS) break;
      this.#known -= tags.size;
      this.#paths.delete(oldest);
      this.#forgot = true;
    }
    return tag;
  }

  #forgetOldest(issued: Issued): void {
    const [oldest] = issued.tags.keys();
    issued.tags.delete(oldest as string);
    issued.complete = false;
    this.#known -= 1;
  }
}

// Remembers which version of a remote resource (an object, a web page) each caller was shown last, so that a later part
// of another version is shown with a notice. Replicas share this for callers that have a name.

/** Resources remembered for one caller; the least recently used are forgotten. */
const MAX_SEEN_RESOURCES = 1_000;

/** How long the shared store keeps a version, in ms. */
const KEEP_MS = 60 * 60_000;

export class SeenVersions implements SeenStore {
  readonly #here = new WeakMap<Caller, LruMap<string>>();
  readonly #space: StateSpace | undefined;

  /** `space` is the shared store of the session; without one, versions are known to this process only. */
  constructor(space?: StateSpace) {
    this.#space = space;
  }

  async last(caller: Caller, place: string): Promise<SeenVersion> {
    const here = this.#here.get(caller)?.get(place);
    const name = nameIn(caller, place);
    const bytes = name && (await this.#space?.get(name));
    const shared = bytes instanceof Uint8Array ? bytes.toString() : undefined;
    return { here, shared };
  }

  async saw(caller: Caller, place: string, version: string): Promise<void> {
    let places = this.#here.get(caller);
    if (!places) this.#here.set(caller, (places = new LruMap(MAX_SEEN_RESOURCES)));
    places.set(place, version);
    const name = nameIn(caller, place);
    if (name) await this.#space?.put(name, Buffer.from(version), KEEP_MS);
  }
}

/** The name includes the caller, because callers may share a space. Undefined for a caller that no other replica knows. */
function nameIn(caller: Caller, place: string): StateName | undefined {
  const known = callerName(caller);
  return known && { kind: 'seen', of: [known.name, place] };
}

// Keeps a text that does not fit into one answer as an artifact, once per session for the same bytes. The artifact
// numbers are cached per `SpillStore`, not in the store of derived data: clients share that store, but a number belongs
// to one client.

/** Bytes that are written before the event loop gets control again. */
const AT_ONCE = 256 << 10;

/** The number of texts of one session whose artifact is remembered. */
const MAX_KEPT_TEXTS = 1_000;

const known = new WeakMap<SpillStore, LruMap<Promise<SpilledOutput>>>();

/**
 * Keeps `bytes` and returns the kept output, or the existing one for the same `identity`, which is that of `bytes`.
 * Throws OrielError (`LIMIT`, `BUSY`) if it cannot be kept.
 */
export async function keepOutput(
  bytes: Uint8Array,
  identity: Identity,
  spills: SpillStore,
): Promise<SpilledOutput> {
  let ofSession = known.get(spills);
  if (!ofSession) known.set(spills, (ofSession = new LruMap(MAX_KEPT_TEXTS)));
  const { key } = identity;
  const before = await ofSession.get(key);
  // The output may have been evicted, or somebody may have removed the file.
  if (before && existsSync(before.path)) return before;
  const writing = write(bytes, spills);
  ofSession.set(key, writing);
  try {
    return await writing;
  } catch (error) {
    ofSession.delete(key);
    throw error;
  }
}

async function write(bytes: Uint8Array, spills: SpillStore): Promise<SpilledOutput> {
  const spill = spills.create();
  for (let at = 0; at < bytes.length; at += AT_ONCE) {
    await spill.write(bytes.subarray(at, at + AT_ONCE));
    await setImmediate();
  }
  return spill.finish();
}

// A map that evicts the least recently used entry. (lru-cache 11.5.3 costs 4 ms of every start for these lines.)

export class LruMap<T> {
  readonly #most: number;
  readonly #mostWeight: number;
  #weight = 0;
  /** Least recently used first: a Map keeps the order of insertion. */
  readonly #entries = new Map<string, { readonly value: T; readonly weight: number }>();

  /** Holds at most `most` entries with a total weight of at most `mostWeight`, in the unit of the weights given to `set`. */
  constructor(most: number, mostWeight = Number.POSITIVE_INFINITY) {
    this.#most = most;
    this.#mostWeight = mostWeight;
  }

  get(key: string): T | undefined {
    const entry = this.#entries.get(key);
    if (entry) this.set(key, entry.value, entry.weight);
    return entry?.value;
  }

  set(key: string, value: T, weight = 0): void {
    this.delete(key);
    this.#entries.set(key, { value, weight });
    this.#weight += weight;
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#most && this.#weight <= this.#mostWeight) return;
      this.delete(oldest);
    }
  }

  delete(key: string): void {
    this.#weight -= this.#entries.get(key)?.weight ?? 0;
    this.#entries.delete(key);
  }
}
