/** Bytes at offsets, with their identity: the interface of everything that can be read. */

import type { Facts, Identity } from '../identity.ts';

export interface ByteSource {
  /** Bytes; undefined while the source grows (a stream that has not ended). */
  readonly size: number | undefined;
  /** Which bytes these are: the cache key of what is derived from them (line indexes, outlines, unpacked members). */
  readonly identity: Identity;
  /**
   * Fills `target` from byte `offset` (0-based) and resolves to the number of bytes written: fewer than
   * `target.length` only at the end. Throws OrielError (`CANCELLED`, `CORRUPT`, …).
   */
  readInto(target: Uint8Array, offset: number, signal?: AbortSignal): Promise<number>;
  /** Whether the content is no longer that of `identity`. Absent if content cannot change. */
  changed?(): Promise<boolean>;
  /** The bytes come from a stream: their number is unknown until the stream has ended. Such a source never changes. */
  readonly streamed?: boolean;
  /** Each read may be a request to a server, so unnecessary reads are avoided. */
  readonly remote?: boolean;
  /** For another machine with its own credentials: how to read the same bytes, and which version. Plain JSON. */
  readonly elsewhere?: { readonly facts: Facts; readonly version: StoredVersion };
}

/** The version of a file or object on a server. */
export interface StoredVersion {
  readonly etag?: string;
  readonly lastModified?: string;
  /** Distinguishes versions; undefined if different contents may have the same name. */
  readonly name: string | undefined;
  /** For a file that may grow while it is read: stays equal if bytes were only appended. */
  readonly prefix?: string;
  /** Headers that ask for this version and no other. */
  readonly condition: Readonly<Record<string, string>>;
}
