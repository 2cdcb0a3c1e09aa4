/**
 * A cache of server replies with ages (stale-while-revalidate), in the store of the session and optionally on disk. Until the
 * soft age a reply is fresh; then it is stale, still used, and refreshed in the background; after the hard age it is read
 * again before use.
 */

import { isOrielError, OrielError } from '../errors.ts';
import { type Facts, Identity } from '../identity.ts';
import { startTimer } from '../queues/caller.ts';
import { memoryBytes } from '../text/bytes.ts';
import { encodeFrame, FrameReader } from '../text/frames.ts';
import type { ByteSource } from '../types/access.ts';
import type { Call } from '../types/call.ts';
import type { ComputedValue, DerivedKind, DiskCache, Session, StoreUser } from '../types/session.ts';

/** In milliseconds. With 0 for both, nothing is served from the cache. */
export interface CacheAges {
  readonly soft: number;
  readonly hard: number;
}

interface CachedReply<T> extends DatedValue<T> {
  /** Older than the soft age; it is being refreshed. */
  readonly stale: boolean;
}

/** Reads the value. `known` is the previous one, for conditional requests. */
type ReplyReader<T> = (signal: AbortSignal, known: T | undefined) => Promise<T>;

interface CacheEntry<T> {
  current: DatedValue<T> | undefined;
  /** The number of completed reads; a part of the key under which concurrent reads are shared. */
  readings: number;
  /** The earliest time of the next background refresh (ms since the epoch). */
  nextTry: number;
}

interface ReplyCache<T> {
  readonly entries: DerivedKind<CacheEntry<T>>;
  readonly readings: DerivedKind<DatedValue<T>, { readonly reading: number }>;
  readonly written: ReplySerializer<T> | undefined;
}

/** The timeout of a background refresh, and the wait after a failed one, in ms. */
const BACKGROUND_MS = 20_000;
const RETRY_MS = 60_000;

/** `name` must be unique in the project; `weigh` returns bytes of memory; without `written` it is not cached on disk. */
export function createReplyCache<T>(
  name: string,
  weigh: (value: T) => number,
  written?: ReplySerializer<T>,
): ReplyCache<T> {
  return {
    entries: {
      name,
      weigh: ({ current }) => ({ memory: 256 + (current ? weigh(current.value) : 0) }),
    },
    // Only shares one read between concurrent calls; the value is kept in the entry.
    readings: { name: `${name}-reading`, weigh: ({ value }) => ({ memory: weigh(value) }) },
    written,
  };
}

/**
 * Returns the cached value, or reads it. `facts` is the cache key: everything that affects the reply, including whose it
 * is. Concurrent calls share one read. Throws the errors of `read`.
 */
export async function readThrough<T>(
  cache: ReplyCache<T>,
  facts: Facts,
  { soft, hard }: CacheAges,
  read: ReplyReader<T>,
  call: Call,
): Promise<CachedReply<T>> {
  const { session, now: clock } = call;
  const of = memoryBytes('', Identity.of(cache.entries.name, facts));
  const empty = (): CacheEntry<T> => ({ current: undefined, readings: 0, nextTry: 0 });
  const entry = session.store.getNow(cache.entries, of, {}, empty, call);
  const copy = copyOf(cache, of, session.disk);
  const asked: CacheRead<T> = { cache, of, entry, copy, now: clock, read, session };
  const now = clock();
  const known = await newest(asked, now, soft);
  if (known && now - known.at < soft) return { ...known, stale: false };
  if (!known || now - known.at >= hard) return { ...(await readAgain(asked, call)), stale: false };
  if (now >= entry.nextTry) {
    entry.nextTry = now + RETRY_MS;
    session.background.start((signal) => readInBackground(asked, signal));
  }
  return { ...known, stale: true };
}

interface CacheRead<T> {
  readonly cache: ReplyCache<T>;
  readonly of: ByteSource;
  readonly entry: CacheEntry<T>;
  readonly copy: DiskCopy<T> | undefined;
  readonly session: Session;
  readonly now: () => number;
  readonly read: ReplyReader<T>;
}

function copyOf<T>(
  { written }: ReplyCache<T>,
  { identity }: ByteSource,
  disk: DiskCache | undefined,
): DiskCopy<T> | undefined {
  return written && disk && new DiskCopy(disk, identity, written);
}

/** The newest known value. The disk is asked for that of another process if ours is missing or stale. */
async function newest<T>(
  { entry, copy }: CacheRead<T>,
  now: number,
  soft: number,
): Promise<DatedValue<T> | undefined> {
  const known = entry.current;
  if (!copy || (known && now - known.at < soft)) return known;
  const found = await copy.find(now);
  // Another call may have refreshed it meanwhile.
  const latest = entry.current;
  if (found && (!latest || found.at > latest.at)) entry.current = found;
  return entry.current;
}

async function readAgain<T>(asked: CacheRead<T>, user: StoreUser): Promise<DatedValue<T>> {
  const { cache, of, entry, copy, now, read, session } = asked;
  const reading = entry.readings;
  try {
    const made = await session.store.get(
      cache.readings,
      of,
      { reading },
      async ({ signal }): Promise<ComputedValue<DatedValue<T>>> => {
        const at = now();
        return { value: { value: await read(signal, entry.current?.value), at }, keep: false };
      },
      user,
    );
    if (entry.readings === reading) {
      entry.readings += 1;
      entry.current = made;
      await copy?.keep(made);
    }
    return made;
  } catch (error) {
    if (entry.readings === reading && isGone(error)) {
      entry.current = undefined;
      await copy?.forget(now());
    }
    throw error;
  }
}

/** Whether the server says that the resource is gone or forbidden: then the old value must not be shown. */
function isGone(error: unknown): boolean {
  return isOrielError(error) && (error.code === 'NOT_FOUND' || error.code === 'DENIED');
}

/** Refreshes in the background. If that fails, the old value stays in use and a later call tries again. */
async function readInBackground<T>(asked: CacheRead<T>, over: AbortSignal): Promise<void> {
  const late = new AbortController();
  const stop = startTimer(BACKGROUND_MS, () => late.abort(new OrielError('TIMEOUT', 'It took too long.')));
  const ends: (() => void | Promise<void>)[] = [];
  const user: StoreUser = {
    signal: AbortSignal.any([late.signal, over]),
    progress: () => undefined,
    onEnd: (release) => void ends.push(release),
  };
  try {
    await readAgain(asked, user);
    asked.entry.nextTry = 0;
  } finally {
    stop();
    for (const end of ends) await end();
  }
}

// Caches replies of servers on disk for later processes. The cache key contains everything that affects the reply, including
// a digest of the token, so that an entry can be found and decrypted only with the same token.

/** A value, and when it was requested (ms since the epoch). */
interface DatedValue<T> {
  readonly value: T;
  readonly at: number;
}

export interface ReplySerializer<T> {
  /** Increment it when the layout changes. */
  readonly version: number;
  /** A value as plain JSON and bytes. */
  parts(value: T): { readonly head: unknown; readonly body: Uint8Array };
  value(head: unknown, body: Buffer): T;
}

/** The header of an entry. `gone` marks a removed value, which invalidates older copies. */
interface DiskCopyHead {
  readonly at: number;
  readonly head?: unknown;
  readonly gone?: true | undefined;
}

const NOTHING = new Uint8Array(0);

export class DiskCopy<T> {
  readonly #disk: DiskCache;
  readonly #written: ReplySerializer<T>;
  readonly #key: string;

  constructor(disk: DiskCache, of: Identity, written: ReplySerializer<T>) {
    this.#disk = disk;
    this.#written = written;
    this.#key = JSON.stringify(['remembered', written.version, of.key]);
  }

  /**
   * The newest copy of this machine and the shared store: either may have missed an update while the store was unavailable.
   * An entry from the future is ignored, because after a clock was set back it would stay fresh for too long.
   */
  async find(now: number): Promise<DatedValue<T> | undefined> {
    const disk = this.#disk;
    const kept = disk.all ? await disk.all(this.#key) : [await disk.get(this.#key)];
    const [newest] = kept
      .flatMap((bytes) => (bytes && new FrameReader(bytes.length).push(bytes)) ?? [])
      .map(({ head, body }) => ({ ...(head as DiskCopyHead), body }))
      .filter(({ at }) => at <= now)
      .sort((a, b) => b.at - a.at);
    if (!newest || newest.gone) return undefined;
    return { at: newest.at, value: this.#written.value(newest.head, newest.body) };
  }

  /** Stores a value. With a shared store it resolves when other replicas can find it; otherwise immediately. */
  async keep({ value, at }: DatedValue<T>): Promise<void> {
    const { head, body } = this.#written.parts(value);
    const put = this.#disk.put(this.#key, encodeFrame({ at, head } satisfies DiskCopyHead, body));
    if (this.#disk.all) await put;
  }

  /** Removes the value. With a shared store a mark is written that invalidates older copies of all replicas. */
  async forget(at: number): Promise<void> {
    if (this.#disk.all)
      await this.#disk.put(this.#key, encodeFrame({ at, gone: true } satisfies DiskCopyHead, NOTHING));
    else this.#disk.remove(this.#key);
  }
}
