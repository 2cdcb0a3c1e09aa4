/** Bytes at offsets, with their identity: the one shape of everything that can be read. */

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
  /** Comes from a stream: its size is unknown until the stream has ended. Never changes. */
  readonly streamed?: boolean;
  /** Each read may be a request to a server: what can be done without is not read. */
  readonly remote?: boolean;
  /** Where another machine with its own credentials reads the same bytes, and which version of them; plain JSON. */
  readonly elsewhere?: { readonly facts: Facts; readonly version: StoredVersion };
}

/** A version of what is on a server. */
export interface StoredVersion {
  readonly etag?: string;
  readonly lastModified?: string;
  /** Distinguishes versions; undefined if another content may have the same. */
  readonly name: string | undefined;
  /** Of a file that may grow while it is read: equal where it has done nothing else. */
  readonly prefix?: string;
  /** Headers that ask for this version and no other. */
  readonly condition: Readonly<Record<string, string>>;
}
