/** Owns the one interface every archive format takes: its members in stored order, and the bytes of each. */

import type { OpenedFile } from '../../types/access.ts';
import type { ByteSource } from '../../types/byte-source.ts';
import type { Subject } from '../../types/resource.ts';

export type MemberType = 'file' | 'directory' | 'symlink' | 'hardlink' | 'fifo' | 'device' | 'other';

export interface Member {
  /** As stored, made printable by names.ts; `/` separates directories, `..` and a leading `/` are still in it. */
  readonly name: string;
  readonly type: MemberType;
  /** Unpacked bytes as the archive declares them: shown, never trusted. */
  readonly size?: number;
  /** Where a link points, printable; relative to its directory for a symlink, to the root for a hard link. */
  readonly link?: string;
  readonly encrypted?: boolean;
  /** A further name of the member before it, which gives way to a member that really has it. */
  readonly alias?: boolean;
  /** Why this member cannot be trusted, while the others can: "the file ends inside it". */
  readonly trouble?: string;
}

export interface Container {
  /** What it is, for facts and sentences: `zip`, `tar.gz`. */
  readonly format: string;
  /**
   * Members in stored order, in batches. Throws OrielError after the last good one: `CORRUPT` where the archive is damaged,
   * `LIMIT` where a cap was met, `ENCRYPTED` where even the names are.
   */
  entries(signal: AbortSignal): AsyncIterable<readonly Member[]>;
  /**
   * The unpacked bytes of a member that `entries` gave (in this call or an earlier one on the same version). A
   * chunk is valid until the next is asked for. Throws OrielError after the last good byte.
   */
  open(member: Member, signal: AbortSignal): AsyncIterable<Uint8Array>;
  /** The bytes where they lie, for members that are stored as they are; undefined for packed ones. */
  inPlace?(member: Member, signal: AbortSignal): Promise<ByteSource | undefined>;
}

/** The archive itself, as it came from the engine or out of another one. */
export type FileSubject = Subject & { readonly opened: OpenedFile };

export function isFile(subject: Subject): subject is FileSubject {
  return subject.opened.is === 'file';
}
