/**
 * What servers answered, kept in the session's store with its age, and where a kind has it so, in the cache on disk.
 * Younger than the soft age it is used as it is; older, it is used once more and read again in the background; beyond
 * the hard age it is read again first.
 */

import { memoryBytes } from '../access/bytes.ts';
import { startTimer } from '../access/timer.ts';
import { isOrielError, OrielError } from '../errors.ts';
import { type Facts, Identity } from '../identity.ts';
import type { ByteSource } from '../types/byte-source.ts';
import type { Call } from '../types/call.ts';
import type { DiskCache, Session } from '../types/session.ts';
import type { Kind, Made, StoreUser } from '../types/store.ts';
import { type Dated, DiskCopy, type Written } from './remembered-on-disk.ts';

/** Milliseconds. With 0 for both, every call reads again. */
export interface Ages {
  readonly soft: number;
  readonly hard: number;
}

export interface Remembered<T> extends Dated<T> {
  /** Older than the soft age: it is being read again. */
  readonly stale: boolean;
}

/** Reads it; `known` is what was read before, for a server that can say that nothing has changed. */
export type Reading<T> = (signal: AbortSignal, known: T | undefined) => Promise<T>;

/** One thing that is read again from time to time. */
interface Shelf<T> {
  current: Dated<T> | undefined;
  /** Counted up with each reading that has ended, so that the next one is not taken for it. */
  readings: number;
  /** Not before this is it read again in the background. */
  nextTry: number;
}

export interface Memory<T> {
  readonly shelves: Kind<Shelf<T>>;
  readonly readings: Kind<Dated<T>, { readonly reading: number }>;
  readonly written: Written<T> | undefined;
}

/** Milliseconds that one reading in the background may take, and the wait after one that failed. */
const BACKGROUND_MS = 20_000;
const RETRY_MS = 60_000;

/** `name` is unique in the project; `weigh` gives bytes of memory; `written` is how it is in the cache on disk, if it does. */
export function memoryOf<T>(name: string, weigh: (value: T) => number, written?: Written<T>): Memory<T> {
  return {
    shelves: {
      name,
      weigh: ({ current }) => ({ memory: 256 + (current ? weigh(current.value) : 0) }),
    },
    // Only shares a reading between the calls that wait for it: what is kept is on the shelf.
    readings: { name: `${name}-reading`, weigh: ({ value }) => ({ memory: weigh(value) }) },
    written,
  };
}

/** `facts` name everything that shapes the answer, whose it is too. Calls that ask for the same at once share one reading. Throws what `read` throws. */
export async function remember<T>(
  memory: Memory<T>,
  facts: Facts,
  { soft, hard }: Ages,
  read: Reading<T>,
  call: Call,
): Promise<Remembered<T>> {
  const { session, now: clock } = call;
  const of = memoryBytes('', Identity.of(memory.shelves.name, facts));
  const empty = (): Shelf<T> => ({ current: undefined, readings: 0, nextTry: 0 });
  const shelf = session.store.getNow(memory.shelves, of, {}, empty, call);
  const copy = copyOf(memory, of, session.disk);
  const asked: Asked<T> = { memory, of, shelf, copy, now: clock, read, session };
  const now = clock();
  const known = await newest(asked, now, soft);
  if (known && now - known.at < soft) return { ...known, stale: false };
  if (!known || now - known.at >= hard) return { ...(await readAgain(asked, call)), stale: false };
  if (now >= shelf.nextTry) {
    shelf.nextTry = now + RETRY_MS;
    session.background.start((signal) => readInBackground(asked, signal));
  }
  return { ...known, stale: true };
}

interface Asked<T> {
  readonly memory: Memory<T>;
  readonly of: ByteSource;
  readonly shelf: Shelf<T>;
  readonly copy: DiskCopy<T> | undefined;
  readonly session: Session;
  readonly now: () => number;
  readonly read: Reading<T>;
}

function copyOf<T>(
  { written }: Memory<T>,
  { identity }: ByteSource,
  disk: DiskCache | undefined,
): DiskCopy<T> | undefined {
  return written && disk && new DiskCopy(disk, identity, written);
}

/** What was read last, here or in another process, whose answer is looked for where ours is missing or old. */
async function newest<T>(
  { shelf, copy }: Asked<T>,
  now: number,
  soft: number,
): Promise<Dated<T> | undefined> {
  const known = shelf.current;
  if (!copy || (known && now - known.at < soft)) return known;
  const found = await copy.find(now);
  // Another call may have read it again meanwhile.
  const latest = shelf.current;
  if (found && (!latest || found.at > latest.at)) shelf.current = found;
  return shelf.current;
}

async function readAgain<T>(asked: Asked<T>, user: StoreUser): Promise<Dated<T>> {
  const { memory, of, shelf, copy, now, read, session } = asked;
  const reading = shelf.readings;
  try {
    const made = await session.store.get(
      memory.readings,
      of,
      { reading },
      async ({ signal }): Promise<Made<Dated<T>>> => {
        const at = now();
        return { value: { value: await read(signal, shelf.current?.value), at }, keep: false };
      },
      user,
    );
    if (shelf.readings === reading) {
      shelf.readings += 1;
      shelf.current = made;
      await copy?.keep(made);
    }
    return made;
  } catch (error) {
    if (shelf.readings === reading && isGone(error)) {
      shelf.current = undefined;
      await copy?.forget(now());
    }
    throw error;
  }
}

/** The server says that it is not there any more, or no more for us: what it said before is not shown again. */
function isGone(error: unknown): boolean {
  return isOrielError(error) && (error.code === 'NOT_FOUND' || error.code === 'DENIED');
}

/** What fails here is tried again by a later call, and until then the old answer is used. */
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
    asked.shelf.nextTry = 0;
  } finally {
    stop();
    for (const end of ends) await end();
  }
}
