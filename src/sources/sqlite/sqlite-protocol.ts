/** The messages between the engine and the worker: one job, one reply, as plain data that can be cloned. */

import type { ErrorCode } from '../../errors.ts';
import type { Mailbox } from './mailbox.ts';

/** A value as SQLite stores it. Integers are exact; bytes of a BLOB stay in the worker. */
export type Cell = null | bigint | number | TextCell | BlobCell;

interface TextCell {
  readonly is: 'text';
  /** The text as `decodeText` gives it (invalid bytes are lone surrogates). Only the start of the value if `clipped`. */
  readonly text: string;
  /** The size of the stored value in bytes. */
  readonly bytes: number;
  /** Whether `text` is only the start of the value, or empty because the value is too large to load. */
  readonly clipped: boolean;
}

interface BlobCell {
  readonly is: 'blob';
  /** Bytes of the stored value. */
  readonly bytes: number;
}

export interface Rows {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
  /** Whether at least one more row follows. */
  readonly more: boolean;
}

/** The total number of rows. If `exact` is false, counting was stopped, and there are at least `rows`. */
export interface Count {
  readonly rows: number;
  readonly exact: boolean;
}

export type TableType = 'table' | 'view' | 'virtual table' | 'shadow table';

/** The key of a row: a column, or the rowid. */
export interface Key {
  readonly name: string;
  /** The index (0-based) in the columns of `select *`; absent for a rowid that is not a column. */
  readonly column?: number;
}

export interface Table {
  readonly name: string;
  readonly type: TableType;
  readonly key?: Key;
  /** The columns of a composite primary key, in key order. */
  readonly composite?: readonly string[];
}

/** Why the rows of a table cannot be read, such as a view of a missing table, an unknown module, or too much work. */
export interface Unreadable {
  readonly code: ErrorCode;
  readonly message: string;
}

/** One reading of the words after the path, `key` as typed. The first reading that names something is used. */
export interface Reading {
  readonly table: string;
  readonly key?: string;
}

export type Ask =
  | { readonly do: 'list'; readonly limit: number; readonly offset: number }
  /** A table's schema with sample rows, or one row. If no reading names one, the list of tables if `orList` is set. */
  | {
      readonly do: 'find';
      readonly readings: readonly Reading[];
      readonly sample: number;
      readonly orList?: { readonly limit: number; readonly offset: number };
    }
  | {
      readonly do: 'query';
      readonly table: string;
      readonly where?: string;
      readonly order?: string;
      readonly limit: number;
      readonly offset: number;
      /** The cursor: the page begins after the row with this rowid (decimal), which is row number `offset`. */
      readonly after?: string;
    }
  /** Complete rows for a search: as many as fit into `room` bytes, at least one. */
  | {
      readonly do: 'rows';
      readonly table: string;
      readonly offset: number;
      readonly after?: string;
      /** Rows without this text in a value may be left out, if the table has rowids. */
      readonly containing?: string;
    }
  | { readonly do: 'sql'; readonly sql: string; readonly limit: number; readonly offset: number };

/** A descriptor that stays open until the reply, the bytes of a database in memory, or a mailbox for a remote one. */
export type FileRef =
  | { readonly fd: number }
  | { readonly content: Uint8Array }
  | { readonly mailbox: Mailbox };

export interface Job {
  readonly files: { readonly db: FileRef; readonly wal?: FileRef; readonly journal?: FileRef };
  readonly ask: Ask;
  /** The most bytes of the answer; rows that cannot fit into it are not collected. */
  readonly room: number;
}

export type Reply =
  | {
      readonly is: 'list';
      readonly entries: readonly ListEntry[];
      /** The total number of tables, views and virtual tables. */
      readonly total: number;
    }
  | {
      readonly is: 'schema';
      /** The index (0-based) of the reading that it answers. */
      readonly reading: number;
      readonly table: Table;
      /** The CREATE statements of the table, its indexes and triggers. */
      readonly statements: readonly string[];
      readonly sample: Rows;
      readonly count?: Count;
      /** Why there are no sample rows. */
      readonly unreadable?: Unreadable;
    }
  | {
      readonly is: 'row';
      readonly reading: number;
      readonly table: Table;
      /** The name of the column that `key` was compared with. */
      readonly by: string;
      readonly rows: Rows;
    }
  | {
      readonly is: 'page';
      readonly table: Table;
      readonly rows: Rows;
      /** The rowid of each of `rows` (decimal), if they are in the order of rowids. */
      readonly rowids?: readonly string[];
      readonly count?: Count;
    }
  | {
      readonly is: 'rows';
      readonly table: Table;
      readonly rows: Rows;
      /** As in a page. */
      readonly rowids?: readonly string[];
      /** Set if rows were left out by `containing`. */
      readonly isFiltered?: true;
      /** The rowid up to which rows were examined, if more follow. */
      readonly scannedTo?: string;
    }
  | { readonly is: 'result'; readonly rows: Rows }
  | Failure;

/** A reply that is an answer. */
export type Answered = Exclude<Reply, Failure>;

export interface ListEntry {
  readonly name: string;
  readonly type: TableType;
  readonly count?: Count;
  /** Why it could not be counted: damaged pages, or (`unreadable`) an unknown module. */
  readonly damaged?: string;
  readonly unreadable?: string;
}

export interface Failure {
  readonly is: 'error';
  readonly code: ErrorCode;
  /** One sentence; names from the database or the caller are not yet escaped. */
  readonly message: string;
  /** The part after the path in a next call. */
  readonly rest?: string;
}
