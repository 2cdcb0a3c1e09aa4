/** Owns the caps on archives, in one table: everything an archive declares is hostile until it has been counted. */

export const archiveLimits = {
  /** Members indexed; what follows is said to be missing. 200,000 members take about 60 MB. */
  entries: 200_000,
  /** Entries of a listing shown at once; the notice names the call for the next ones. */
  listed: 500,
  /** Bytes of a member's name, and the directories in it: a longer or deeper one is reached by its number. */
  nameBytes: 4_096,
  nameDepth: 256,
  /** Bytes of what a caller may type after the archive's path, and the places at which it may be split. */
  restBytes: 16_384,
  restSplits: 256,
  /** Bytes of one pax header or long name in a tar. */
  metaBytes: 1 << 20,
  /** Containers inside containers in one call. */
  depth: 4,
  /** Bytes of one member that can be paged to. */
  memberBytes: 1 << 30,
  /** Bytes of a member that has to be unpacked whole before it can be looked at: a nested zip, an image. */
  nestedBytes: 256 << 20,
  /** Bytes unpacked in one call, all levels of nesting together. */
  callBytes: 4 * (1 << 30),
  /** Unpacked bytes for each packed byte; only looked at after `ratioFrom` unpacked bytes. */
  ratio: 200,
  ratioFrom: 64 << 20,
  /** Bytes of a 7z or rar archive, which is read in memory and in an isolated worker only. */
  isolatedBytes: 48 << 20,
  /** Bytes a decoder's own memory may grow to: a dictionary of 64 MiB and its surroundings. */
  decoderBytes: 112 << 20,
  /** Bytes of an unpacked member held in memory before it goes to a private scratch file. */
  spoolMemory: 4 << 20,
  /** Hops from link to link, and bytes of a link's target. */
  linkHops: 40,
  linkBytes: 4_096,
  /** Members of a zip up to which every local header is compared with the directory. */
  localHeaders: 256,
} as const;
