/** The limits of reading objects and large files on a server by ranges. */

import { OrielError } from '../../errors.ts';
import { combineSignals, startTimer } from '../../queues/caller.ts';
import { quote } from '../../text/visible.ts';

const KIB = 1024;
const MIB = 1024 * KIB;

export const objectLimits = {
  requests: 256,
  /** Bytes at the start that determine the type of the object; they are cached for later calls. */
  head: 64 * KIB,
  /** The least bytes of the first request: enough for the type and the first page. */
  first: 128 * KIB,
  /** Bytes that are read before and after a byte window, to complete its first and last line. */
  around: 64 * KIB,
  /**
   * Bytes that are read before and after an offset in the middle: those before are needed to detect an oversized line, those
   * after contain a block of the line index and a page that begins anywhere in it.
   */
  before: 56 * KIB,
  behind: 128 * KIB,
  /** Bytes that are read after a wanted range in the middle: a page that begins there. */
  page: 64 * KIB,
  /** The most bytes per request of a sequential read; the size doubles from `behind` up to this. */
  ahead: 4 * MIB,
  /** The most bytes of one object that a call keeps in memory. */
  held: 12 * MIB,
  /** Lines are counted for objects of up to this many bytes; counting reads the whole object. */
  counted: 128 * KIB,
  requestMs: 20_000,
  listingBytes: 8 * MIB,
  /** Entries per page of a listing, which is the limit of servers. */
  listed: 1000,
  /** The most ways of dividing a path into key and selector that are tried. */
  ways: 4,
  /** The most bytes of a key. Source: "Object keys" of the S3 documentation. */
  keyBytes: 1024,
} as const;

// A timeout for a complete request, even if bytes keep arriving slowly.

/** `name` is the form of the object in paths. Throws `TIMEOUT`, and the errors of `act`. */
export async function withinTime<T>(
  { name, signal }: { readonly name: string; readonly signal: AbortSignal },
  act: (until: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = new AbortController();
  const seconds = objectLimits.requestMs / 1000;
  const stop = startTimer(objectLimits.requestMs, () =>
    late.abort(
      new OrielError(
        'TIMEOUT',
        `The server of ${quote(name)} took longer than ${seconds} seconds. Use the same call later.`,
      ),
    ),
  );
  try {
    return await act(combineSignals(signal, late.signal));
  } finally {
    stop();
  }
}
