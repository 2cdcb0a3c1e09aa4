/** The interface of all archive formats: members in stored order, and the bytes of each. */

import { isOrielError, type OrielError } from '../../errors.ts';
import type { OpenedFile } from '../../types/access.ts';
import type { ByteSource } from '../../types/byte-source.ts';
import type { Subject } from '../../types/resource.ts';

export type MemberType = 'file' | 'directory' | 'symlink' | 'hardlink' | 'fifo' | 'device' | 'other';

export interface Member {
  /** The stored name, made printable by names.ts; `/` separates directories; `..` and a leading `/` are kept. */
  readonly name: string;
  readonly type: MemberType;
  /** Unpacked bytes as declared: shown, not trusted. */
  readonly size?: number;
  /** Where a link points, printable; relative to its directory for a symlink, to the root for a hard link. */
  readonly link?: string;
  readonly encrypted?: boolean;
  /** A second name of the member before it. A member whose only name it is has precedence. */
  readonly alias?: boolean;
  /** What is wrong with this member, as a clause: "the file ends inside it". */
  readonly trouble?: string;
}

export interface Container {
  /** For facts and messages: `zip`, `tar.gz`. */
  readonly format: string;
  /**
   * Members in stored order, in batches. Throws OrielError after the last good one: `CORRUPT` for a damaged archive,
   * `LIMIT` at a limit, `ENCRYPTED` when the names are encrypted too.
   */
  entries(signal: AbortSignal): AsyncIterable<readonly Member[]>;
  /**
   * The unpacked bytes of a member from `entries` (of this call or of an earlier one on the same version). A chunk is
   * valid until the next one is asked for. Throws OrielError after the last good byte.
   */
  open(member: Member, signal: AbortSignal): AsyncIterable<Uint8Array>;
  /** Bytes of memory that unpacking this member holds on to until its end. */
  working(member: Member): number;
  /** The bytes of a member that is stored without compression, read in the archive; undefined for packed ones. */
  inPlace?(member: Member, signal: AbortSignal): Promise<ByteSource | undefined>;
}

/**
 * Whether a failure is in the packed bytes: then what came before it is all there will ever be, and is shown. What a
 * shortage or a cancel broke off is not: the next call may have more.
 */
export function isOfTheBytes(error: unknown): error is OrielError {
  return isOrielError(error) && /^(?:CORRUPT|ENCRYPTED|UNSUPPORTED|LIMIT)$/.test(error.code);
}

/** The archive: a file, or a member of another archive. */
export type FileSubject = Subject & { readonly opened: OpenedFile };

export function isFile(subject: Subject): subject is FileSubject {
  return subject.opened.is === 'file';
}
