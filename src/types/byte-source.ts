/** Bytes at offsets, with a version: the one shape of everything that can be read. */

export interface ByteSource {
  /** Bytes; undefined while the source grows (a stream that has not ended). */
  readonly size: number | undefined;
  /**
   * Changes when the content may have changed. For a file: device, inode, size and mtime in ns; for derived
   * text also the converter and its options. Line indexes and snapshots are kept under it.
   */
  readonly version: string;
  /**
   * Fills `target` from byte `offset` (0-based) and resolves to the number of bytes written: fewer than
   * `target.length` only at the end. Throws OrielError (`CANCELLED`, `CORRUPT`, …).
   */
  readInto(target: Uint8Array, offset: number, signal?: AbortSignal): Promise<number>;
  /** Whether the content is no longer that of `version`. Absent where content cannot change. */
  changed?(): Promise<boolean>;
  /** Comes from a stream: its size is unknown until the stream has ended. Never changes. */
  readonly streamed?: boolean;
}
