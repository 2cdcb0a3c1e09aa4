/** The limits on archives. Sizes that an archive declares are not trusted: all limits apply to counted bytes. */

import { OrielError } from '../../errors.ts';
import { binarySize } from '../../render/display.ts';
import type { SourceSubject } from '../../types/call.ts';
import type { Progress } from '../../types/session.ts';

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

// Limits on unpacking, by counted bytes and nesting levels: declared sizes are not trusted.

/** Bytes unpacked between two reports of progress. */
const REPORT_EVERY = 64 << 20;

/**
 * The byte budget of one pass through packed data. Bytes are counted from the start of the pass, even if several calls
 * continue it, so that the limit does not depend on what earlier calls have cached.
 */
export class UnpackBudget {
  readonly #progress: (progress: Progress) => void;
  #unpacked = 0;

  constructor(progress: (progress: Progress) => void = () => undefined) {
    this.#progress = progress;
  }

  /** Counts unpacked bytes. Throws `LIMIT` when there are too many. */
  spend(bytes: number): void {
    const before = Math.floor(this.#unpacked / REPORT_EVERY);
    this.#unpacked += bytes;
    if (this.#unpacked > archiveLimits.walkBytes) {
      throw new OrielError('LIMIT', `it comes after more than ${archiveLimits.walkBytes} unpacked bytes`);
    }
    if (Math.floor(this.#unpacked / REPORT_EVERY) === before) return;
    this.#progress({ message: `unpacking: ${binarySize(this.#unpacked)}`, done: this.#unpacked });
  }
}

/** Throws `LIMIT` for a container that is nested too deep. The number of containers side by side is not limited. */
export function enterContainer({ depth = 0 }: SourceSubject): void {
  if (depth > archiveLimits.depth) {
    throw new OrielError('LIMIT', `archives are opened at most ${archiveLimits.depth} levels deep`);
  }
}

/**
 * Passes the output of a decoder on. Throws `LIMIT` when the ratio of output to input is too high; `packed` returns the
 * number of input bytes so far.
 */
export async function* metered(
  unpacked: AsyncIterable<Uint8Array>,
  packed: () => number,
  budget: UnpackBudget,
): AsyncGenerator<Uint8Array> {
  let out = 0;
  for await (const chunk of unpacked) {
    out += chunk.length;
    budget.spend(chunk.length);
    if (out > archiveLimits.ratioFrom && out > archiveLimits.ratio * packed()) {
      throw new OrielError('LIMIT', `it unpacks to more than ${archiveLimits.ratio} times its packed size`);
    }
    yield chunk;
  }
}
