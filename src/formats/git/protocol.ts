/** The messages between the thread that reads a repository and the call that started it. */

import type { ErrorCode } from '../../errors.ts';
import type { RepositoryHandles } from '../../git/objects.ts';

export interface GitJob {
  readonly repository: RepositoryHandles;
  /** The real path of the directory that has the `.git`. */
  readonly top: string;
  readonly question: GitQuestion;
}

export type GitQuestion = EntryQuestion;

/** A path at a revision. */
export interface RevisionPath {
  readonly revision: string;
  /** Relative to the root of the repository; empty for the root. */
  readonly path: string;
  /** What follows it: a selector without its colon, or a query with its question mark. */
  readonly rest: string;
}

/** The first of the ways whose revision and path exist. */
export interface EntryQuestion {
  readonly kind: 'entry';
  readonly ways: readonly RevisionPath[];
  /** Undefined is answered if no revision exists. */
  readonly isGuess: boolean;
}

export type GitReply = { readonly failure: GitFailure } | { readonly found: FoundEntry | undefined };

/** An `OrielError`, as it is sent. */
export interface GitFailure {
  readonly code: ErrorCode;
  readonly message: string;
  readonly why: string;
  readonly next: string | undefined;
}

export type FoundEntry = FoundFile | FoundTree;

interface FoundAt extends RevisionPath {
  /** The id of the commit, in hexadecimal digits. */
  readonly commit: string;
}

export interface FoundFile extends FoundAt {
  readonly kind: 'file';
  /** The id of the file, and whether it is a symbolic link: its bytes are the path to which it leads. */
  readonly id: string;
  readonly isLink: boolean;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export interface FoundTree extends FoundAt {
  readonly kind: 'directory';
  /** Each with a mark: `/` of a directory, `@` of a link, and what else is said of it. */
  readonly lines: readonly string[];
  /** Names that are not UTF-8. */
  readonly unnamed: number;
}
