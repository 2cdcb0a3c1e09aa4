/** The limits of reading objects and large files on a server by ranges. */

const KIB = 1024;
const MIB = 1024 * KIB;

export const objectLimits = {
  /** Requests that one call may make for one object. */
  requests: 256,
  /** Bytes at the beginning that tell what kind of thing it is; they are kept for later calls. */
  head: 64 * KIB,
  /** Bytes read at least with the first request: the first page and the kind of thing. */
  first: 128 * KIB,
  /** Bytes read around a window by bytes: the lines that it begins and ends in. */
  around: 64 * KIB,
  /**
   * Bytes read before and after a place in the middle: an oversized line is looked for in the former, and the latter has
   * a block of the line index and a page from somewhere in it.
   */
  before: 56 * KIB,
  behind: 128 * KIB,
  /** Bytes read after what is wanted in the middle: a page that begins there. */
  page: 64 * KIB,
  /** Bytes of one request where an object is read from a place onwards; doubled from `behind` up to this. */
  ahead: 4 * MIB,
  /** Bytes of one object held by a call. */
  held: 12 * MIB,
  /** Objects up to this size state their lines; of larger ones counting would mean reading all of it. */
  counted: 128 * KIB,
  /** Milliseconds of one request. */
  requestMs: 20_000,
  /** Bytes of a listing. */
  listingBytes: 8 * MIB,
  /** Entries of one page of a listing: the most that a server gives. */
  listed: 1000,
  /** Ways in which a path may be divided into a key and a selector that are tried. */
  ways: 4,
  /** Bytes of a key. Source: "Object keys" of the S3 documentation. */
  keyBytes: 1024,
} as const;
