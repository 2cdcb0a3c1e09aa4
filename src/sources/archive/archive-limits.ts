/** The limits on archives. Sizes that an archive declares are not trusted: all limits apply to counted bytes. */

export const archiveLimits = {
  /** Members indexed; a notice says when there are more. 200,000 members take about 60 MB. */
  entries: 200_000,
  /** Bytes of memory that an index takes; a notice says where that ends it. */
  indexBytes: 64 << 20,
  /** Members from which on an index waits for its turn to be made. */
  manyEntries: 10_000,
  /** Bytes of a zip's directory that are read: 200,000 records of 600 bytes. Of those, bytes between records. */
  directoryBytes: 128 << 20,
  damagedBytes: 16 << 20,
  /** Entries of a listing shown at once; the notice names the call for the next ones. */
  listed: 500,
  /** Bytes of a member's name and directories in it: a longer or deeper one is read by its number. */
  nameBytes: 4_096,
  nameDepth: 256,
  /** Bytes that may be typed after the path of an archive, and the places at which they are split. */
  restBytes: 16_384,
  restSplits: 256,
  /** Bytes of one pax header or long name in a tar. */
  metaBytes: 1 << 20,
  /** Containers inside containers in one call. */
  depth: 4,
  /** Bytes of one member that can be paged to. */
  memberBytes: 1 << 30,
  /** Bytes of a member that must be unpacked whole to be read: a nested zip, an image. */
  nestedBytes: 256 << 20,
  /** Bytes unpacked in one skip packed data: to its directory, or to a member. */
  walkBytes: 4 * 2 ** 30,
  /** Unpacked bytes for each packed byte; checked after the first `ratioFrom` unpacked bytes. */
  ratio: 200,
  ratioFrom: 64 << 20,
  /** Bytes of a 7z or rar archive: libarchive holds all of it in the worker's memory. */
  isolatedBytes: 48 << 20,
  /** Bytes of a decoder's memory: a dictionary of 64 MiB and its other buffers. */
  decoderBytes: 112 << 20,
  /** Bytes of an unpacked member held in memory; the rest goes to a private temporary file. */
  spoolMemory: 4 << 20,
  /** Links followed in a row, and bytes of a link's target. */
  linkHops: 40,
  linkBytes: 4_096,
  /** Members of a zip up to which every local header is compared with the directory. */
  localHeaders: 256,
} as const;
