/**
 * What servers answered, kept in the session's store with its age. Younger than the soft age it is used as it is;
 * older, it is used once more and read again in the background; beyond the hard age it is read again first.
 */

import { memoryBytes } from '../access/bytes.ts';
import { startTimer } from '../access/timer.ts';
import { OrielError } from '../errors.ts';
import { type Facts, Identity } from '../identity.ts';
import type { ByteSource } from '../types/byte-source.ts';
import type { Call } from '../types/call.ts';
import type { DerivedStore, Kind, Made, StoreUser } from '../types/store.ts';

/** Milliseconds. With 0 for both, every call reads again. */
export interface Ages {
  readonly soft: number;
  readonly hard: number;
}

export interface Remembered<T> {
  readonly value: T;
  /** Milliseconds since the epoch at which it was asked for. */
  readonly at: number;
  /** Older than the soft age: it is being read again. */
  readonly stale: boolean;
}

/** Reads it; `known` is what was read before, for a server that can say that nothing has changed. */
export type Reading<T> = (signal: AbortSignal, known: T | undefined) => Promise<T>;

interface Dated<T> {
  readonly value: T;
  readonly at: number;
}

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
}

/** Milliseconds that one reading in the background may take, and the wait after one that failed. */
const BACKGROUND_MS = 20_000;
const RETRY_MS = 60_000;

/** `name` is unique in the project; `weigh` gives bytes of memory. */
export function memoryOf<T>(name: string, weigh: (value: T) => number): Memory<T> {
  return {
    shelves: {
      name,
      weigh: ({ current }) => ({ memory: 256 + (current ? weigh(current.value) : 0) }),
    },
    // Only shares a reading between the calls that wait for it: what is kept stands on the shelf.
    readings: { name: `${name}-reading`, weigh: ({ value }) => ({ memory: weigh(value) }) },
  };
}

/** Calls that ask for the same at once share one reading. Throws what `read` throws. */
export async function remember<T>(
  memory: Memory<T>,
  facts: Facts,
  { soft, hard }: Ages,
  read: Reading<T>,
  call: Call,
): Promise<Remembered<T>> {
  const { store } = call.session;
  const of = memoryBytes('', Identity.of(memory.shelves.name, facts));
  const empty = (): Shelf<T> => ({ current: undefined, readings: 0, nextTry: 0 });
  const shelf = store.getNow(memory.shelves, of, {}, empty, call);
  const known = shelf.current;
  const now = call.now();
  if (known && now - known.at < soft) return { ...known, stale: false };
  const reading: Asked<T> = { memory, of, shelf, now: call.now, read, store };
  if (!known || now - known.at >= hard) return { ...(await readAgain(reading, call)), stale: false };
  if (now >= shelf.nextTry) {
    shelf.nextTry = now + RETRY_MS;
    void readInBackground(reading);
  }
  return { ...known, stale: true };
}

interface Asked<T> {
  readonly memory: Memory<T>;
  readonly of: ByteSource;
  readonly shelf: Shelf<T>;
  readonly store: DerivedStore;
  readonly now: () => number;
  readonly read: Reading<T>;
}

async function readAgain<T>(
  { memory, of, shelf, now, read, store }: Asked<T>,
  user: StoreUser,
): Promise<Dated<T>> {
  const reading = shelf.readings;
  const made = await store.get(
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
  }
  return made;
}

/** For nobody in particular: what fails here is tried again by a later call, and until then the old answer stands. */
async function readInBackground<T>(asked: Asked<T>): Promise<void> {
  const late = new AbortController();
  const stop = startTimer(BACKGROUND_MS, () => late.abort(new OrielError('TIMEOUT', 'It took too long.')));
  const ends: (() => void | Promise<void>)[] = [];
  const user: StoreUser = {
    signal: late.signal,
    progress: () => undefined,
    onEnd: (release) => void ends.push(release),
  };
  try {
    await readAgain(asked, user);
    asked.shelf.nextTry = 0;
  } catch {
    // As above.
  } finally {
    stop();
    for (const end of ends) await end();
  }
}
