/** The limits on archives. Sizes that an archive declares are not trusted: all limits apply to counted bytes. */

export const archiveLimits = {
  /** The most members in an index; a notice says if there are more. 200,000 members take about 60 MB. */
  entries: 200_000,
  /** The most bytes of memory of an index; a notice says if it was truncated for that. */
  indexBytes: 64 << 20,
  /** From this number of members on, building the index takes a slot of the queue `indexes`. */
  manyEntries: 10_000,
  /** The most bytes of a zip's directory that are read (200,000 records of 600 bytes), and of damaged bytes between records. */
  directoryBytes: 128 << 20,
  damagedBytes: 16 << 20,
  /** Entries per page of a listing; the notice names the call for the next page. */
  listed: 500,
  /** The most bytes and directories of a member's name; a member with a longer or deeper name is read by its number. */
  nameBytes: 4_096,
  nameDepth: 256,
  /** The most bytes after the path of an archive, and the most positions at which they are split into path and selector. */
  restBytes: 16_384,
  restSplits: 256,
  /** The most bytes of one pax header or long name in a tar. */
  metaBytes: 1 << 20,
  /** The most levels of nested containers. */
  depth: 4,
  /** The most bytes of one member that can be read by paging. */
  memberBytes: 1 << 30,
  /** The most bytes of a member that must be unpacked completely to be read, such as a nested zip or an image. */
  nestedBytes: 256 << 20,
  /** The most bytes that are unpacked in one pass through packed data, to its directory or to a member. */
  walkBytes: 4 * 2 ** 30,
  /** The highest ratio of unpacked to packed bytes (zip bombs); checked after the first `ratioFrom` unpacked bytes. */
  ratio: 200,
  ratioFrom: 64 << 20,
  /** The most bytes of a 7z or rar archive, because libarchive needs all of it in the memory of the worker. */
  isolatedBytes: 48 << 20,
  /** The most bytes of a decoder's memory: a dictionary of 64 MiB and its other buffers. */
  decoderBytes: 112 << 20,
  /** Bytes of an unpacked member that are kept in memory; the rest goes to a private temporary file. */
  spoolMemory: 4 << 20,
  /** The most links that are followed in a row, and the most bytes of a link's target. */
  linkHops: 40,
  linkBytes: 4_096,
  /** In a zip of up to this many members every local header is compared with the directory. */
  localHeaders: 256,
} as const;
