/** The interface of all archive formats: members in stored order, and the bytes of each. */

import { isOrielError, type OrielError } from '../../errors.ts';
import type { OpenedFile } from '../../types/access.ts';
import type { ByteSource } from '../../types/byte-source.ts';
import type { Subject } from '../../types/resource.ts';

export type MemberType = 'file' | 'directory' | 'symlink' | 'hardlink' | 'fifo' | 'device' | 'other';

export interface Member {
  /** The stored name, made printable by member-names.ts; `/` separates directories; `..` and a leading `/` are kept. */
  readonly name: string;
  readonly type: MemberType;
  /** Unpacked bytes as declared: shown, not trusted. */
  readonly size?: number;
  /** The printable target of a link: relative to the link's directory for a symlink, to the root for a hard link. */
  readonly link?: string;
  readonly encrypted?: boolean;
  /** Whether this is a second name of the member before it. A member with this as its only name takes precedence. */
  readonly alias?: boolean;
  /** What is wrong with this member, as a clause: "the file ends inside it". */
  readonly trouble?: string;
}

export interface Container {
  /** For facts and messages: `zip`, `tar.gz`. */
  readonly format: string;
  /**
   * Yields members in stored order, in batches. Throws OrielError after the last good one: `CORRUPT` for a damaged archive,
   * `LIMIT` at a limit, `ENCRYPTED` if the names are encrypted too.
   */
  entries(signal: AbortSignal): AsyncIterable<readonly Member[]>;
  /**
   * Yields the unpacked bytes of a member from `entries` (of this call or an earlier one on the same version). The buffer of a
   * chunk is reused for the next one. Throws OrielError after the last good byte.
   */
  open(member: Member, signal: AbortSignal): AsyncIterable<Uint8Array>;
  /** Bytes of memory that the decoder of this member takes until it ends. */
  working(member: Member): number;
  /** A member that is stored without compression, as a part of the archive's bytes; undefined for packed members. */
  inPlace?(member: Member, signal: AbortSignal): Promise<ByteSource | undefined>;
}

/**
 * Whether a failure is caused by the packed bytes themselves: then the bytes before it are all that can be had, and are
 * shown and cached. A shortage or a cancellation is not: the next call may get more.
 */
export function isOfTheBytes(error: unknown): error is OrielError {
  return isOrielError(error) && /^(?:CORRUPT|ENCRYPTED|UNSUPPORTED|LIMIT)$/.test(error.code);
}

/** The archive: a file, or a member of another archive. */
export type FileSubject = Subject & { readonly opened: OpenedFile };

export function isFile(subject: Subject): subject is FileSubject {
  return subject.opened.is === 'file';
}
