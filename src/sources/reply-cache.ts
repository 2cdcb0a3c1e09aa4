/**
 * A cache of server replies with ages (stale-while-revalidate), in the store of the session and optionally on disk. Until the
 * soft age a reply is fresh; then it is stale, still used, and refreshed in the background; after the hard age it is read
 * again before use.
 */

import { memoryBytes } from '../access/bytes.ts';
import { startTimer } from '../access/timer.ts';
import { isOrielError, OrielError } from '../errors.ts';
import { type Facts, Identity } from '../identity.ts';
import type { ByteSource } from '../types/byte-source.ts';
import type { Call } from '../types/call.ts';
import type { DiskCache, Session } from '../types/session.ts';
import type { Computed, Kind, StoreUser } from '../types/store.ts';
import { type Dated, DiskCopy, type Written } from './reply-cache-disk.ts';

/** In milliseconds. With 0 for both, nothing is served from the cache. */
export interface Ages {
  readonly soft: number;
  readonly hard: number;
}

export interface CachedReply<T> extends Dated<T> {
  /** Older than the soft age; it is being refreshed. */
  readonly stale: boolean;
}

/** Reads the value. `known` is the previous one, for conditional requests. */
export type Reading<T> = (signal: AbortSignal, known: T | undefined) => Promise<T>;

/** The mutable cache entry of one value. */
interface CacheEntry<T> {
  current: Dated<T> | undefined;
  /** The number of completed reads; a part of the key under which concurrent reads are shared. */
  readings: number;
  /** The earliest time of the next background refresh (ms since the epoch). */
  nextTry: number;
}

export interface ReplyCache<T> {
  readonly entries: Kind<CacheEntry<T>>;
  readonly readings: Kind<Dated<T>, { readonly reading: number }>;
  readonly written: Written<T> | undefined;
}

/** The timeout of a background refresh, and the wait after a failed one, in ms. */
const BACKGROUND_MS = 20_000;
const RETRY_MS = 60_000;

/** `name` must be unique in the project; `weigh` returns bytes of memory; without `written` it is not cached on disk. */
export function createReplyCache<T>(
  name: string,
  weigh: (value: T) => number,
  written?: Written<T>,
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
  { soft, hard }: Ages,
  read: Reading<T>,
  call: Call,
): Promise<CachedReply<T>> {
  const { session, now: clock } = call;
  const of = memoryBytes('', Identity.of(cache.entries.name, facts));
  const empty = (): CacheEntry<T> => ({ current: undefined, readings: 0, nextTry: 0 });
  const entry = session.store.getNow(cache.entries, of, {}, empty, call);
  const copy = copyOf(cache, of, session.disk);
  const asked: Asked<T> = { cache, of, entry, copy, now: clock, read, session };
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

interface Asked<T> {
  readonly cache: ReplyCache<T>;
  readonly of: ByteSource;
  readonly entry: CacheEntry<T>;
  readonly copy: DiskCopy<T> | undefined;
  readonly session: Session;
  readonly now: () => number;
  readonly read: Reading<T>;
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
  { entry, copy }: Asked<T>,
  now: number,
  soft: number,
): Promise<Dated<T> | undefined> {
  const known = entry.current;
  if (!copy || (known && now - known.at < soft)) return known;
  const found = await copy.find(now);
  // Another call may have refreshed it meanwhile.
  const latest = entry.current;
  if (found && (!latest || found.at > latest.at)) entry.current = found;
  return entry.current;
}

async function readAgain<T>(asked: Asked<T>, user: StoreUser): Promise<Dated<T>> {
  const { cache, of, entry, copy, now, read, session } = asked;
  const reading = entry.readings;
  try {
    const made = await session.store.get(
      cache.readings,
      of,
      { reading },
      async ({ signal }): Promise<Computed<Dated<T>>> => {
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
async function readInBackground<T>(asked: Asked<T>, over: AbortSignal): Promise<void> {
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
