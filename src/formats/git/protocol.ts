/** The messages between the thread that reads a repository and the call that started it. */

import type { ErrorCode } from '../../errors.ts';
import type { OpenDescriptor, RepositoryHandles } from '../../git/objects.ts';

export interface GitJob {
  readonly repository: RepositoryHandles;
  /** The real path of the directory that has the `.git`. */
  readonly top: string;
  /** The same directory, for questions about the work tree. */
  readonly tree?: OpenDescriptor | undefined;
  readonly question: GitQuestion;
}

export type GitQuestion =
  | EntryQuestion
  | LogQuestion
  | ShowQuestion
  | DiffQuestion
  | StateQuestion
  | ChangesQuestion;

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

/** `target`: the URL without its selector, in all that follow. */
export interface LogQuestion {
  readonly kind: 'log';
  readonly target: string;
  /** Only commits that change it; empty for all. */
  readonly path: string;
  /** The commits that can be reached from `until`, and not from `from`. */
  readonly from?: string | undefined;
  readonly until: string;
  /** A part of the name or the address, in any case. */
  readonly author?: string | undefined;
  /** Seconds since the epoch. */
  readonly since?: number | undefined;
  readonly limit: number;
}

export interface ShowQuestion {
  readonly kind: 'show';
  readonly target: string;
  readonly revision: string;
}

export interface DiffQuestion {
  readonly kind: 'diff';
  readonly target: string;
  readonly from: string;
  readonly ways: readonly RevisionPath[];
}

/** The state of the work tree. */
export interface StateQuestion {
  readonly kind: 'state';
  readonly target: string;
}

/** The differences from `HEAD` to the index, or from the index to the work tree. */
export interface ChangesQuestion {
  readonly kind: 'changes';
  readonly target: string;
  readonly of: 'staged' | 'changed';
  /** Empty for all. */
  readonly path: string;
  /** How it may be a revision, to which the work tree is compared, if there is no such path. */
  readonly ways: readonly RevisionPath[];
}

export type GitReply =
  | { readonly failure: GitFailure }
  | { readonly found: FoundEntry | FoundText | undefined };

/** An `OrielError`, as it is sent. */
export interface GitFailure {
  readonly code: ErrorCode;
  readonly message: string;
  readonly why: string;
  readonly next: string | undefined;
}

export type FoundEntry = FoundFile | FoundTree;

/** A text that the thread has written. */
export interface FoundText {
  readonly kind: 'text';
  readonly target: string;
  readonly bytes: Uint8Array;
  /** `use`: the call for more. */
  readonly notes: readonly { readonly text: string; readonly use?: string | undefined }[];
}

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
