/** The messages between the engine and the worker: one job, one reply, as plain data that can be cloned. */

import type { ErrorCode } from '../../errors.ts';
import type { Mailbox } from './mailbox.ts';

/** A value as SQLite stores it. Integers are exact; bytes of a BLOB stay in the worker. */
export type Cell = null | bigint | number | TextCell | BlobCell;

interface TextCell {
  readonly is: 'text';
  /** Invalid UTF-8 as `\xff`, one escape for each byte. Only the beginning of the value when `bytes` is larger. */
  readonly text: string;
  /** Bytes of the stored value. */
  readonly bytes: number;
  /** `text` is the beginning of the value, or empty when the value is too large to load. */
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
  /** At least one more row follows the last of `rows`. */
  readonly more: boolean;
}

/** The total of rows. `exact` is false when counting was stopped: there are at least `rows`. */
export interface Count {
  readonly rows: number;
  readonly exact: boolean;
}

export type TableType = 'table' | 'view' | 'virtual table' | 'shadow table';

/** How one row is identified: by a column, or by rowid; absent when rows have no single key. */
export interface Key {
  readonly name: string;
  /** 0-based index among the columns of `select *`; absent for a rowid that is not a column. */
  readonly column?: number;
}

export interface Table {
  readonly name: string;
  readonly type: TableType;
  readonly key?: Key;
  /** Columns of a primary key of several columns, in key order. */
  readonly composite?: readonly string[];
}

/** Why the rows of one table cannot be read: a view of a missing table, an unknown module, too much work. */
export interface Unreadable {
  readonly code: ErrorCode;
  readonly message: string;
}

/** One reading of the words after the path. `key` is used as typed; the first reading that names something is taken. */
export interface Reading {
  readonly table: string;
  readonly key?: string;
}

export type Ask =
  | { readonly do: 'list'; readonly limit: number; readonly offset: number }
  /** A table's schema with sample rows, or one row; when no reading names one, the list, if that is a reading too. */
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
      /** The page begins after the row with this rowid, in decimal; `offset` rows are in front of it, and not counted again. */
      readonly after?: string;
    }
  /** Rows in full, as a search looks through them: as many as hold `room` bytes, at least one. */
  | {
      readonly do: 'rows';
      readonly table: string;
      readonly offset: number;
      readonly after?: string;
      /** Rows without it in a value may be left out, where they have rowids. */
      readonly containing?: string;
    }
  | { readonly do: 'sql'; readonly sql: string; readonly limit: number; readonly offset: number };

/** A descriptor that stays open until the reply, the bytes of a database in memory, or who reads them. */
export type FileRef =
  | { readonly fd: number }
  | { readonly content: Uint8Array }
  | { readonly mailbox: Mailbox };

export interface Job {
  readonly files: { readonly db: FileRef; readonly wal?: FileRef; readonly journal?: FileRef };
  readonly ask: Ask;
  /** Bytes of the answer: rows that cannot fit in it are not collected. */
  readonly room: number;
}

export type Reply =
  | {
      readonly is: 'list';
      readonly entries: readonly ListEntry[];
      /** Tables, views and virtual tables in all. */
      readonly total: number;
    }
  | {
      readonly is: 'schema';
      /** 0-based index of the reading that it answers. */
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
      /** Of each of `rows`, in decimal: where they come in the order of their rowids. */
      readonly rowids?: readonly string[];
      readonly count?: Count;
    }
  | {
      readonly is: 'rows';
      readonly table: Table;
      readonly rows: Rows;
      /** As those of a page. */
      readonly rowids?: readonly string[];
      /** Rows were left out. */
      readonly isFiltered?: true;
      /** The rowid up to which rows were looked at, where others follow it. */
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
  /** Why it could not be counted: damaged pages, an unknown module. */
  readonly damaged?: string;
  readonly unreadable?: string;
}

export interface Failure {
  readonly is: 'error';
  readonly code: ErrorCode;
  /** One sentence; names from the database or the caller are not yet escaped. */
  readonly message: string;
  /** What follows the path in a call that works instead. */
  readonly rest?: string;
}
